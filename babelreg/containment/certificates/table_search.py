"""Search for the table that shows a claim about patterns, by the automata of the checker."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from babelreg.containment.certificates.pattern_tables import Row, TableRefused, automaton, product

_MOST_ROWS = 3_000
_MOST_TRANSITIONS = 200_000
_MOST_CHARACTERS = 1_000
"""Longer strings are not counted: a row has their number."""
Pattern = tuple[str, str]
"""A pattern and its reading."""
Patterns = tuple[Pattern, ...]


@lru_cache(maxsize=512)
def table_of(
    matching: Patterns, none_of: Patterns = (), but: tuple[str, ...] = (), least: int = 0, most: int | None = None
) -> tuple[dict[str, Any] | None, int]:
    """Return the table that shows that no string matches all of ``matching`` and none of ``none_of``, apart from
    ``but`` and from those that are too short or too long; None without one of a bearable size. And the transitions that
    were looked at.

    A pattern that the checker cannot read is left out; so are the lengths where the patterns alone suffice.
    """
    readable = (
        [list(pattern) for pattern in patterns if automaton(*pattern) is not None] for patterns in (matching, none_of)
    )
    claim = dict(zip(("all", "none"), readable, strict=True)) | {"but": list(but), "least": 0, "most": None}
    if not (claim["all"] or claim["none"] or but):
        return None, 1
    most = most if most is None or most <= _MOST_CHARACTERS else None
    bounded = {"least": least if least <= _MOST_CHARACTERS else 0, "most": most}
    seen = 0
    for lengths in ({}, bounded) if bounded["least"] or most is not None else ({},):
        rows, more = _rows(claim | lengths)
        seen += more
        if rows is not None:
            return {**claim, **lengths, "rows": rows}, seen
    return None, seen


def _rows(claim: dict[str, Any]) -> tuple[list[str] | None, int]:
    try:
        machines = product(claim)
    except TableRefused:
        return None, 1
    rows: set[Row] = {machines.initial}
    waiting = [machines.initial]
    seen = 0
    while waiting:
        row = waiting.pop()
        seen += machines.classes
        if machines.accepts(row):
            return None, seen
        more = machines.successors(row) - rows
        rows |= more
        waiting += more
        if len(rows) > _MOST_ROWS or seen > _MOST_TRANSITIONS:
            return None, seen
    return [" ".join(f"{part:x}" for part in row) for row in sorted(rows)], seen
