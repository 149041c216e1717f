"""Findings with recorded messages: the JSON of ``babelreg impact``, which counts what each finding would have refused.

Counts are taken for a finding where both are of the same change: its key and the ids of what was compared are equal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from babelreg.errors import InputError
from babelreg.finding import Finding, Place, TrafficEvidence
from babelreg.plural import counted
from babelreg.typed_json import typed

_MAX_BYTES = 64 << 20
_MARK = "babelreg_impact"
_VERSION = 1
_DAYS = 30
"""Days for which a waiver holds that no window tells."""
_COUNTED_ELSEWHERE = "urn-removed"


@dataclass(frozen=True)
class CountedFinding:
    """A finding of the report: the messages that it would have refused, of those that were seen."""

    key: str
    changes: tuple[str, ...]
    judged: bool
    count: int
    messages_seen: int


@dataclass(frozen=True)
class CountedDays:
    """The window of the report."""

    days: int
    last_day: str


@dataclass(frozen=True)
class RecordedImpact:
    """What ``breaking`` reads of the report. ``seen`` has the number of messages by URN."""

    babelreg_impact: int
    findings: tuple[CountedFinding, ...]
    seen: Mapping[str, int] = field(default_factory=dict)
    window: CountedDays | None = None


def read(path: Path) -> RecordedImpact | None:
    """Return the report in ``path``; None for any other file, such as counts by URN.

    Raises InputError for a report that is damaged, or of another version.
    """
    try:
        with path.open("rb") as file:
            body = file.read(_MAX_BYTES + 1)
        value = json.loads(body) if len(body) <= _MAX_BYTES and _MARK.encode() in body else None
    except (OSError, ValueError, RecursionError):
        return None  # the reader of counts says what is wrong with it
    if not isinstance(value, dict) or _MARK not in value:
        return None
    fix = "create it again: babelreg impact PATH --format json --output impact.json"
    if value[_MARK] != _VERSION:
        message = f"is a report of version {value[_MARK]!r:.40}, but this babelreg reads version {_VERSION}"
        raise InputError(message, place=Place(str(path)), fix=fix)
    try:
        return parsed(value)
    except ValueError as err:
        raise InputError(f"is not a report of `babelreg impact`: {err}", place=Place(str(path)), fix=fix) from err


def parsed(value: dict[str, Any]) -> RecordedImpact:
    """Return the report that ``value`` is. Raises ValueError."""
    return typed(RecordedImpact, _known(value))


def with_traffic(
    findings: Sequence[Finding], keys: Sequence[str], recorded: RecordedImpact, today: date
) -> tuple[list[Finding], int]:
    """Return ``findings`` with the messages that each would have refused, and how many the report does not count.

    ``keys`` are those of the findings. A waiver of them may expire as many days after ``today`` as the window has.
    """
    counted = {each.key: each for each in recorded.findings}
    result, unknown = [], 0
    for finding, key in zip(findings, keys, strict=True):
        each = counted.get(key)
        if each is None or each.changes != _changes(finding):
            unknown += finding.change is not None or bool(finding.messages)
            result.append(finding)
        elif each.judged and each.messages_seen:
            result.append(_with_messages(finding, each, recorded.window, today))
        else:
            result.append(finding)
    return result, unknown


def _with_messages(finding: Finding, each: CountedFinding, window: CountedDays | None, today: date) -> Finding:
    days = window.days if window is not None else _DAYS
    period = f"in the {counted(days, 'day')} to {window.last_day}" if window is not None else "recorded"
    expires = (today + timedelta(days=min(days, 3653))).isoformat()
    traffic = TrafficEvidence(each.count, each.messages_seen, period, expires)
    if finding.rule == _COUNTED_ELSEWHERE:
        return replace(finding, traffic=traffic)
    percent = 100 * each.count / each.messages_seen
    share = f" ({percent:.{1 if percent >= 1 else 4}f} %)" if each.count else ""
    line = f"{'' if each.count else 'in theory; '}{traffic}{share}"
    return replace(finding, traffic=traffic, breaks=(line, *finding.breaks))


def _changes(finding: Finding) -> tuple[str, ...]:
    return tuple(sorted({change for change in (finding.change, *(use.change for use in finding.messages)) if change}))


def _known(value: dict[str, Any]) -> dict[str, Any]:
    """Return the members that ``breaking`` reads."""
    kept = {name: value[name] for name in (_MARK, "findings", "seen", "window") if name in value}
    names = CountedFinding.__dataclass_fields__
    if isinstance(kept.get("findings"), list):
        kept["findings"] = [
            {name: each[name] for name in names if name in each} if isinstance(each, dict) else each
            for each in kept["findings"]
        ]
    if isinstance(kept.get("window"), dict):
        kept["window"] = {name: kept["window"].get(name) for name in ("days", "last_day")}
    return kept
