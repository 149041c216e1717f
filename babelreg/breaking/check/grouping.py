"""Findings about one change, as one finding: both directions of it, and all messages that share the fragment it is in.

A type that changed breaks both ways, and a fragment breaks every message that refers to it. Whoever has to act on it
does so once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from babelreg.breaking.check import impact
from babelreg.breaking.check.witness_format import abbreviated, first_difference
from babelreg.finding import NOTHING, Finding, Hurt, Rollout

__all__ = ["by_importance", "merged"]

_MOST_LINES = 12
_WIDE = 36  # two of them stand on one line
_ORDER = {"backward": 0, "forward": 1}


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """``findings`` with those about one change made one, each where the first of them stood."""
    groups: dict[Hashable, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_change(finding), []).append(finding)
    return [_one(sorted(group, key=lambda f: _ORDER.get(f.direction or "", -1))) for group in groups.values()]


def by_importance(findings: Iterable[Finding]) -> list[Finding]:
    """``findings`` in the order of the report: errors, warnings, infos, each in the order of the files."""
    return sorted(findings, key=lambda finding: (finding.severity.rank, finding.sort_key))


def _change(finding: Finding) -> Hashable:
    # In a fragment it is one change whichever message shows it.
    whose = None if finding.messages else finding.urn
    return (finding.rule, finding.message, finding.place, finding.against, whose)


def _one(group: Sequence[Finding]) -> Finding:
    first = group[0]
    if len(group) == 1 and not first.messages:
        return first
    witnesses = _witnesses(group)
    messages = tuple(dict.fromkeys(use for finding in group for use in finding.messages))
    hurts = _hurts(group)
    return replace(
        first,
        urn=first.urn if len({finding.urn for finding in group}) == 1 else None,
        change=first.change if len({finding.change for finding in group}) == 1 else None,
        direction="both" if len(witnesses) > 1 else first.direction or next(iter(witnesses), None),
        witness=next(iter(witnesses.values()), NOTHING),
        witnesses=witnesses if len(witnesses) > 1 else {},
        reason=next((finding.reason for finding in group if finding.reason), None),
        hurts=hurts,
        breaks=_lines([f"{use.urn} at {use.field}" if use.field else use.urn for use in messages])
        + _lines(impact.lines(_once(hurts))),
        rollout=_rollout([finding.rollout for finding in group if finding.rollout]),
        messages=messages,
    )


def _witnesses(group: Sequence[Finding]) -> dict[str, Any]:
    """The first witness of each direction."""
    found: dict[str, Any] = {}
    for finding in group:
        if finding.direction and finding.witness is not NOTHING:
            found.setdefault(finding.direction, finding.witness)
    return found


def _hurts(group: Sequence[Finding]) -> tuple[Hurt, ...]:
    """Each service once for a message; where both directions hurt it, by what it sends before and after."""
    by_message: dict[str | None, list[Finding]] = {}
    for finding in group:
        by_message.setdefault(finding.urn, []).append(finding)
    witnesses = {urn: _witnesses(findings) for urn, findings in by_message.items()}
    found: dict[Hashable, Hurt] = {}
    for finding in group:
        for hurt in finding.hurts:
            key = (hurt.service, hurt.role, hurt.urn)
            known = found.setdefault(key, hurt)
            if known.does != hurt.does and len(witnesses[finding.urn]) > 1:
                found[key] = known._replace(does=_either(hurt.role, witnesses[finding.urn]))
    return tuple(found.values())


def _either(role: str, witnesses: dict[str, Any]) -> str:
    if role == "consumer":
        return "refuses one of them"
    before, after = witnesses["backward"], witnesses["forward"]
    at = first_difference(before, after)
    return f"sends {abbreviated(before, at, _WIDE)} before, {abbreviated(after, at, _WIDE)} after"


def _once(hurts: Iterable[Hurt]) -> list[Hurt]:
    """Each service once, whichever message hurts it, with all that it reads of what changed."""
    found: dict[Hashable, Hurt] = {}
    for hurt in hurts:
        known = found.setdefault((hurt.service or hurt.does, hurt.role), hurt)
        if known.does == impact.SPARED != hurt.does:
            found[hurt.service or hurt.does, hurt.role] = hurt
        elif hurt.reads and known is not hurt:
            reads = tuple(dict.fromkeys([*(known.reads or ()), *hurt.reads]))
            found[hurt.service, hurt.role] = (known if known.reads else hurt)._replace(reads=reads)
    return list(found.values())


def _lines(lines: Iterable[str]) -> tuple[str, ...]:
    every = tuple(lines)
    more = len(every) - _MOST_LINES
    return every if more <= 1 else (*every[:_MOST_LINES], f"and {more} more; `--format json` has them all")


def _rollout(orders: Sequence[Rollout]) -> Rollout | None:
    sides = {order.side for order in orders}
    if len(sides) != 1 or "none" in sides:
        return Rollout("none") if sides else None
    first = dict.fromkeys(name for order in orders for name in order.first)
    then = dict.fromkeys(name for order in orders for name in order.then)
    return Rollout(sides.pop(), tuple(first), tuple(then))
