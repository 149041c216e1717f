"""JSON of an impact report, which ``breaking --traffic`` reads.

Each finding has the ``key`` that tells it from others in every run, and its ``changes``: the ids of what was compared,
so that counts of another change are not taken for those of this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from babelreg.analysis.impact.impact_report import ExpectationCounts, FindingImpact, ImpactReport, MessageGroup
from babelreg.finding import Finding

VERSION = 1


def as_json(report: ImpactReport, keys: Sequence[str], against: str, folder: str) -> dict[str, Any]:
    """Return ``report`` as JSON; ``keys`` are those of its findings, ``folder`` is put before their paths."""
    window = report.window
    return {
        "babelreg_impact": VERSION,
        "against": against,
        "window": window
        and {"days": window.days, "first_day": window.first_day.isoformat(), "last_day": window.last_day.isoformat()},
        "messages": report.total,
        "earlier": report.earlier,
        "later": report.later,
        "undated": report.undated,
        "first": instant(report.first_ms),
        "newest": instant(report.newest_ms),
        "refused_now": report.refused_now,
        "rescued_now": report.rescued_now,
        "matrix": [{"before": old or "good", "after": new or "good", "count": n} for old, new, n in report.matrix],
        "seen": dict(report.seen),
        "hurt": dict(report.hurt),
        "findings": [_finding(each, key, folder) for each, key in zip(report.findings, keys, strict=True)],
        "unexplained": [{**place._asdict(), **_group(group)} for place, group in report.unexplained],
        "rescued": [{**rescue._asdict(), **_group(group)} for rescue, group in report.rescued],
        "silent": {urn: list(names) for urn, names in report.silent},
        "expectations": [
            {
                "urn": each.urn,
                "service": each.service,
                "path": each.path,
                "schema": each.schema,
                "before": _evidence(each.before),
                "after": _evidence(each.after),
            }
            for each in report.expectations
        ],
    }


def instant(time_ms: int | None) -> str | None:
    """Return Unix milliseconds as a time of RFC 3339 in UTC, to the second."""
    if time_ms is None or time_ms >= 253_402_300_800_000:
        return None
    return datetime.fromtimestamp(time_ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def changes(finding: Finding) -> list[str]:
    """Return the ids of the changes that ``finding`` is about."""
    return sorted({change for change in (finding.change, *(use.change for use in finding.messages)) if change})


def _finding(impact: FindingImpact, key: str, folder: str) -> dict[str, Any]:
    finding = impact.finding.below(folder)
    members = {
        "key": key,
        "rule": finding.rule,
        "severity": finding.severity.value,
        **finding.place.as_json(),
        "urn": finding.urn,
        "urns": sorted({use.urn for use in finding.messages}) or None,
        "pointer": finding.pointer,
        "message": finding.message,
        "direction": finding.direction,
        "changes": changes(finding),
        "accepted": impact.accepted,
        "judged": impact.judged,
        **_group(impact.group),
    }
    return {name: value for name, value in members.items() if value is not None}


def _group(group: MessageGroup) -> dict[str, Any]:
    return dict(_members(group))


def _members(group: MessageGroup) -> Iterator[tuple[str, Any]]:
    yield "count", group.count
    yield "messages_seen", group.seen
    if group.share is not None:
        yield "share", round(float(group.share), 6)
    if group.count:
        yield "producers", dict(group.producers)
        yield "first", instant(group.first_ms)
        yield "newest", instant(group.newest_ms)
    if group.sample is not None:
        yield "sample", group.sample.text
        yield "sample_pointer", group.sample.pointer


def _evidence(evidence: ExpectationCounts | None) -> dict[str, Any] | None:
    return None if evidence is None else evidence._asdict()
