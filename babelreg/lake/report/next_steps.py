"""Next steps: advice that fixes most refused messages, with their URN and a command to paste."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from babelreg.lake.report.advice import ReportPaths, advised
from babelreg.lake.report.content import Content
from babelreg.lake.report.formatting import number
from babelreg.lake.report.redaction import shown_urn
from babelreg.model.urn import PREFIX

_MOST_NEXT = 4


def next_steps(content: Content, paths: ReportPaths) -> list[dict[str, Any]]:
    """Return the advice for the page, ordered by the number of messages that it fixes."""
    counts = content.refusals.reasons
    ordered = sorted(counts, key=lambda reason: (-counts[reason], reason))
    urns = {reason: next(iter(_urns(content, [reason])), None) for reason in ordered}
    steps = advised(urns, content.registry, paths)
    steps.sort(key=lambda step: -sum(counts[reason] for reason in step.reasons))
    return [
        {
            "reasons": [{"reason": reason, "count": number(counts[reason])} for reason in step.reasons],
            "of": _of(content, step.reasons),
            "text": step.text.split("`"),
            "command": step.command,
        }
        for step in steps[:_MOST_NEXT]
    ]


def _urns(content: Content, reasons: Sequence[str]) -> dict[str | None, int]:
    """Return the messages refused for ``reasons`` by URN, most first; those without a URN last, under None."""
    counts: Counter[str | None] = Counter()
    for group in content.refusals.groups:
        if group.key.reason in reasons:
            counts[group.urn if group.key.urn and group.key.urn.startswith(PREFIX) else None] += group.rows
    return dict(sorted(counts.items(), key=lambda item: (item[0] is None, -item[1], item[0] or "")))


def _of(content: Content, reasons: Sequence[str]) -> tuple[str, str] | None:
    """Return the URN of most of the messages, and the word for their share; None where they name none."""
    urn, rows = next(iter(_urns(content, reasons).items()), (None, 0))
    total = sum(content.refusals.reasons[reason] for reason in reasons)
    if urn is None:
        return None
    return ("All" if rows == total else "Most" if 2 * rows > total else "Some"), shown_urn(urn)
