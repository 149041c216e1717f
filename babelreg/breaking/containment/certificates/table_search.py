"""Search for the table of a claim about patterns, by the automata of the checker."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from babelreg.breaking.containment.certificates.pattern_tables import (
    MOST_TRANSITIONS,
    Row,
    TableRefused,
    automaton,
    product,
)
from babelreg.breaking.containment.proof.derivation import PatternLemma

__all__ = ["table_of"]

_MOST_ROWS = 3_000


@lru_cache(maxsize=256)
def table_of(lemma: PatternLemma) -> dict[str, Any] | None:
    """Return the table that shows ``lemma``; None without one of a bearable size.

    A pattern that the checker cannot read is left out; so are the lengths where the patterns alone suffice.
    """
    matching, none_of = (
        [list(pattern) for pattern in patterns if automaton(*pattern) is not None]
        for patterns in (lemma.matching, lemma.none_of)
    )
    claim = {"all": matching, "none": none_of, "but": list(lemma.but), "least": 0, "most": None}
    for lengths in ({}, {"least": lemma.least, "most": lemma.most}):
        rows = _rows(claim | lengths)
        if rows is not None:
            return {**claim, **lengths, "rows": rows}
    return None


def _rows(claim: dict[str, Any]) -> list[str] | None:
    try:
        machines = product(claim)
    except TableRefused:
        return None
    rows: set[Row] = {machines.initial}
    waiting = [machines.initial]
    while waiting:
        row = waiting.pop()
        if machines.accepts(row):
            return None
        more = machines.successors(row) - rows
        rows |= more
        waiting += more
        if len(rows) > min(_MOST_ROWS, MOST_TRANSITIONS // machines.classes):
            return None
    return [" ".join(f"{part:x}" for part in row) for row in sorted(rows)]
