"""The content of a report as the page shows it: every text final, every number spelled, every picture measured.

The template only lays it out, and escapes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from babelreg import __version__
from babelreg.lake.input.set_aside import FIX, explained
from babelreg.lake.report import chart
from babelreg.lake.report.advice import ReportPaths, look, meaning
from babelreg.lake.report.content import Content
from babelreg.lake.report.counts import TableCount
from babelreg.lake.report.formatting import cut, number, share
from babelreg.lake.report.next_steps import next_steps
from babelreg.lake.report.refusals import RefusalGroup
from babelreg.lake.report.samples import RefusedSample
from babelreg.lake.report.timeline import spans
from babelreg.model import Registry
from babelreg.plural import counted

_MOST_TABLES = 40
_MOST_GROUPS = 25
_MOST_OF_A_REASON = 7


def view(content: Content, paths: ReportPaths) -> dict[str, Any]:
    """Return the variables of ``page.html.jinja``."""
    return {
        "title": paths.output,
        "about": _about(content),
        "equation": _equation(content),
        "next": next_steps(content, paths),
        "several": len(content.ledger.points) > 1,
        "over_time": _over_time(content),
        "created": _created(content),
        "reasons": _reasons(content),
        "groups": _groups(content),
        "tables": _tables(content),
        "set_aside": _set_aside(content),
        "samples": _samples(content, paths),
        "registry": content.registry is not None,
        "version": __version__,
    }


def _about(content: Content) -> list[str]:
    ledger = content.ledger
    batch = ledger.batch
    scope = f"{batch.kind} of batch {batch.number} of {ledger.batches:,}" if batch else counted(ledger.batches, "batch")
    parts = [scope, counted(sum(1 for table in ledger.tables.values() if table.rows), "table")]
    if ledger.keeps_duplicates:
        parts.append("duplicates are kept")
    return parts


def _equation(content: Content) -> dict[str, Any]:
    ledger = content.ledger
    parts = [("accepted", ledger.accepted), ("duplicates", ledger.duplicates), ("quarantined", ledger.quarantined)]
    rows = content.refusals.rows
    bars = chart.segments([count for _, count in parts])
    return {
        "read": number(ledger.read),
        "verb": "validated again" if ledger.batch and ledger.batch.kind == "redrive" else "read",
        "parts": [
            {"name": name, "count": number(count), "share": share(count, ledger.read), "bar": bar}
            for (name, count), bar in zip(parts, bars, strict=True)
        ],
        "adds_up": ledger.adds_up and (ledger.batch is not None or rows == ledger.quarantined),
        "found": f"holds {number(rows)} of them" if rows else "is empty",
        "gone": number(max(0, ledger.quarantined - rows)) if ledger.batch and rows < ledger.quarantined else None,
        "later": number(ledger.landed_later) if ledger.landed_later else None,
    }


def _over_time(content: Content) -> dict[str, Any] | None:
    points = content.ledger.points
    if len(points) < 2:
        return None
    names = [f"batch {p.first}" if p.first == p.last else f"batches {p.first} to {p.last}" for p in points]
    read = [f"{name}: {number(p.read)} read" for name, p in zip(names, points, strict=True)]
    refused = [
        f"{name}: {number(p.refused)} of {number(p.read)} refused, {share(p.refused, p.read)}"
        for name, p in zip(names, points, strict=True)
    ]
    shares = [p.refused / p.read if p.read else 0 for p in points]
    batch = content.ledger.batch
    marked = next((at for at, p in enumerate(points) if batch and p.first <= batch.number <= p.last), None)
    return {
        "first": names[0],
        "last": names[-1],
        "read": chart.columns([p.read for p in points], read, marked=marked),
        "most": number(max(p.read for p in points)),
        "refused": chart.columns(shares, refused, marked=marked),
        "worst": share(max(shares), 1),
        "rows": [
            [
                name,
                number(p.read),
                number(p.accepted),
                number(p.duplicates),
                number(p.refused),
                share(p.refused, p.read),
            ]
            for name, p in zip(names, points, strict=True)
        ],
    }


def _created(content: Content) -> dict[str, Any] | None:
    line = content.timeline
    if line is None:
        return None
    starts = spans(line.starts, line.step)
    titles = [f"{start}: {number(count)}" for start, count in zip(starts, line.counts, strict=True)]
    outside = [
        f"{number(count)} {label}"
        for count, label in ((line.before, "earlier"), (line.after, "later"), (line.unknown, "without a time"))
        if count
    ]
    return {
        "step": line.step,
        "alone": number(line.counts[0]) if len(line.counts) == 1 else None,
        "bars": chart.columns(line.counts, titles),
        "first": starts[0],
        "last": starts[-1],
        "most": number(max(line.counts)),
        "outside": ", ".join(outside),
        "timed": f"{number(content.timed)} of {number(content.rows)}" if content.timed < content.rows else "",
        "rows": [[start, number(count)] for start, count in zip(starts, line.counts, strict=True)],
    }


def _reasons(content: Content) -> list[dict[str, Any]]:
    history, total = content.ledger.reasons, content.refusals.rows
    rows = []
    for reason, count in sorted(content.refusals.reasons.items(), key=lambda item: (-item[1], item[0])):
        past = history.get(reason)
        groups = [item for item in content.refusals.groups if item.key.reason == reason]
        first = past.first if past else min((item.first for item in groups), default=0)
        last = past.last if past else max((item.last for item in groups), default=0)
        rows.append(
            {
                "reason": reason,
                "meaning": meaning(reason),
                "count": number(count),
                "share": share(count, total),
                "bar": chart.segments([count, total - count])[0],
                "seen": str(first) if first == last else f"{first} – {last}",
                "bars": chart.columns([p.reasons.get(reason, 0) for p in content.ledger.points], least=12),
            }
        )
    return rows


def _groups(content: Content) -> dict[str, Any]:
    shown = _largest(content.refusals.groups)
    hidden = content.refusals.rows - sum(group.rows for group in shown)
    return {
        "rows": [
            {
                "urn": group.key.urn,
                "pointer": group.key.pointer,
                "detail": group.key.detail,
                "reason": group.key.reason,
                "count": number(group.rows),
                "share": share(group.rows, content.refusals.rows),
                "langs": _langs(group),
                "who": _contacts(group, content.registry),
            }
            for group in shown
        ],
        "left": number(hidden) if hidden else None,
        "more": number(len(content.refusals.groups) - len(shown)),
    }


def _largest(groups: Sequence[RefusalGroup]) -> list[RefusalGroup]:
    """Return the largest groups, few enough of each reason that the others are seen, too."""
    per_reason: Counter[str] = Counter()
    largest: list[RefusalGroup] = []
    for group in groups:
        per_reason[group.key.reason] += 1
        if per_reason[group.key.reason] <= _MOST_OF_A_REASON and len(largest) < _MOST_GROUPS:
            largest.append(group)
    return largest


def _langs(group: RefusalGroup) -> list[str]:
    """Return the languages that such messages name, with their share where there are several."""
    langs = sorted(group.langs.items(), key=lambda item: (-item[1], item[0]))
    if not group.langs.keys() - {"unknown"}:
        return []
    return [f"{lang} {share(count, group.rows)}" if len(langs) > 1 else lang for lang, count in langs[:3]]


def _contacts(group: RefusalGroup, registry: Registry | None) -> list[str]:
    """Return the producers that the registry names, those of the languages that were seen first; then the owner."""
    message = registry.by_urn.get(group.urn) if registry and group.urn else None
    if registry is None or message is None:
        return []
    langs = {name: service.lang for name, service in registry.services.items()}
    named = [name for name in message.producers if langs.get(name) in group.langs]
    context = registry.contexts.get(message.context)
    owner = message.owner or (context.owner if context else None)
    return [*(named or message.producers), *([f"owner {owner}"] if owner else [])]


def _tables(content: Content) -> dict[str, Any]:
    refused, tables = content.refusals.urns, content.ledger.tables
    none = TableCount(0, 0)
    urns = sorted({*tables, *refused}, key=lambda urn: (-refused[urn], -tables.get(urn, none).rows, urn))
    most = max((table.rows for table in tables.values()), default=0)
    rows = []
    for urn in urns[:_MOST_TABLES]:
        got, repeated = tables.get(urn, none).rows, tables.get(urn, none).duplicates
        rows.append(
            {
                "urn": urn,
                "rows": number(got),
                "bar": chart.segments([got, most - got])[0],
                "duplicates": number(repeated),
                "refused": number(refused[urn]),
                "rate": share(refused[urn], got + repeated + refused[urn]),
                "bad": refused[urn] > 0,
            }
        )
    hidden = urns[_MOST_TABLES:]
    return {
        "rows": rows,
        "more": number(len(hidden)) if hidden else None,
        "left": number(sum(tables.get(urn, none).rows for urn in hidden)),
    }


def _set_aside(content: Content) -> dict[str, Any]:
    shown = content.set_aside[:_MOST_TABLES]
    return {
        "fix": FIX,
        "rows": [{"name": cut(file.name), "input": cut(file.input), "why": explained(file)} for file in shown],
        "more": number(len(content.set_aside) - len(shown)) if len(content.set_aside) > len(shown) else None,
    }


def _samples(content: Content, paths: ReportPaths) -> list[dict[str, Any]]:
    counts = content.refusals.reasons
    return [
        {
            "reason": reason,
            "meaning": meaning(reason),
            "count": number(counts[reason]),
            "samples": [_sample(item) for item in samples],
            "look": look([reason], paths),
        }
        for reason, samples in sorted(content.samples.items(), key=lambda item: (-counts[item[0]], item[0]))
    ]


def _sample(sample: RefusedSample) -> dict[str, Any]:
    key = sample.group.key
    return {
        "urn": key.urn,
        "pointer": key.pointer,
        "detail": key.detail,
        "alike": number(sample.group.rows),
        "file": cut(sample.source_file or ""),
        "offset": number(sample.source_offset or 0),
        "batch": sample.group.newest.batch,
        "id": sample.message_id,
        "lines": sample.lines,
    }
