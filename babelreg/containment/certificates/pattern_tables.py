"""Tables of states: the checker's part for patterns. A table shows that no string is matched by all of some patterns
and by none of others.

The row of a string has for each pattern the set of positions that a match of it may have reached, and the number of
characters where the table bounds it. A table is valid if it has the row of the empty string, if with every row it has
those of all strings that are one character longer, and if no row accepts. So no string does, by induction on its
length. A row from which none can accept any more, whatever follows, may be left out.

``pattern_terms.py`` reads patterns. Part of the checker: of babelreg, it imports other parts and sets of code points
only. docs/proofs.md describes the method.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import Any

from babelreg.containment.certificates.pattern_terms import EVERY, LAST, PatternUnreadable, Term, term_of
from babelreg.schema.regex.code_points import CodePoints

MOST_POSITIONS = 3_000
MOST_TERMS = 100_000
"""Terms of one automaton, with those that have no position: a group of nothing may be repeated, and repeated again."""
MOST_TRANSITIONS = 4_000_000
MOST_MOVES = 100_000
"""Transitions of one automaton that are kept."""


class TableRefused(Exception):
    """A table that shows nothing. The text says why."""


class Automaton:
    """Position automaton (Glushkov) of a term. A state is a set of positions as the bits of an integer; 1 at first."""

    def __init__(self, term: Term) -> None:
        self.sets: list[CodePoints] = [()]
        self.follow = [0]
        self._terms_left = MOST_TERMS
        nullable, first, last = self._built(term)
        self.follow[0] = first
        self.accepting = last | nullable
        loops = (1 << p for p, follow in enumerate(self.follow) if follow >> p & 1 and self.sets[p] == EVERY)
        self.certain = sum(bit for bit in loops if bit & self.accepting)
        """The positions from which every string is accepted."""
        self.after = lru_cache(MOST_MOVES)(self._after)

    def ahead(self, state: int) -> int:
        """Return the positions that the next character may take."""
        following = 0
        for position in bits(state):
            following |= self.follow[position]
        return following

    def _after(self, state: int, code: int) -> int:
        """Return the state after one more character."""
        return sum(1 << p for p in bits(self.ahead(state)) if _holds(self.sets[p], code))

    def _built(self, term: Term) -> tuple[bool, int, int]:
        """Return whether the empty string matches, and the positions at which a match may begin and end."""
        self._terms_left -= 1
        if self._terms_left < 0:
            raise PatternUnreadable
        if term[0] == "chars":
            self.sets.append(term[1])
            self.follow.append(0)
            if len(self.sets) > MOST_POSITIONS:
                raise PatternUnreadable
            bit = 1 << len(self.sets) - 1
            return False, bit, bit
        if term[0] == "alt":
            parts = [self._built(part) for part in term[1:]]
            first = last = 0
            for part in parts:
                first, last = first | part[1], last | part[2]
            return any(part[0] for part in parts), first, last
        if term[0] == "seq":
            nullable, first, last = True, 0, 0
            for item in term[1:]:
                nullable, first, last = self._joined((nullable, first, last), self._built(item))
            return nullable, first, last
        _, first, last = self._built(term[1])
        for position in bits(last):
            self.follow[position] |= first
        return True, first, last

    def _joined(self, left: tuple[bool, int, int], right: tuple[bool, int, int]) -> tuple[bool, int, int]:
        for position in bits(left[2]):
            self.follow[position] |= right[1]
        first = left[1] | right[1] if left[0] else left[1]
        return left[0] and right[0], first, left[2] | right[2] if right[0] else right[2]


def _holds(ranges: CodePoints, code: int) -> bool:
    """Return True if a code point is in the ranges, which are sorted."""
    at = bisect_right(ranges, (code, LAST)) - 1
    return at >= 0 and code <= ranges[at][1]


def bits(mask: int) -> list[int]:
    """Return the numbers of the bits that are set."""
    return [at for at, digit in enumerate(reversed(f"{mask:b}")) if digit == "1"]


@lru_cache(maxsize=256)
def automaton(pattern: str, reading: str) -> Automaton | None:
    """Return the automaton of all strings that ``pattern`` matches; None where it cannot be read."""
    try:
        return Automaton(term_of(pattern, reading))
    except (PatternUnreadable, RecursionError):
        return None


def matches(pattern: str, reading: str, text: str) -> bool | None:
    """Return whether ``pattern`` matches ``text``; None where it cannot be read."""
    read = automaton(pattern, reading)
    if read is None:
        return None
    state = 1
    for code in map(ord, text):
        state = read.after(state, code)
    return bool(state & read.accepting)


Row = tuple[int, ...]


class Product:
    """The automata of a claim side by side: ``demanded`` must accept and ``refused`` must not, ``least`` to ``most``
    characters. The last number of a row counts characters, up to where more make no difference.
    """

    def __init__(self, demanded: list[Automaton], refused: list[Automaton], least: int, most: int | None) -> None:
        self._demanded = len(demanded)
        self._machines = [*demanded, *refused]
        self._certain = [machine.certain for machine in refused]
        self._least, self._most = least, most
        self._counted = least if most is None else most + 1
        sets = {ranges for machine in self._machines for ranges in machine.sets}
        starts = {0, *(bound for ranges in sets for first, last in ranges for bound in (first, last + 1))} - {LAST + 1}
        members = {ranges: {start for start in starts if _holds(ranges, start)} for ranges in sets}
        # Characters of one class are in the same sets.
        classes = {frozenset(ranges for ranges in sets if start in members[ranges]): start for start in starts}
        self.initial: Row = (*(1 for _ in self._machines), 0)
        self.classes = len(classes)
        """The number of classes of characters: of the strings that are one character longer than a row."""
        self._takes = [
            [sum(1 << p for p, ranges in enumerate(m.sets) if start in members[ranges]) for m in self._machines]
            for start in classes.values()
        ]
        """For each class of characters and each machine, the positions that a character of the class may take."""

    def successors(self, row: Row) -> set[Row]:
        """Return the rows of all strings that are one character longer than one of ``row``; only those that count."""
        ahead = [machine.ahead(state) for machine, state in zip(self._machines, row, strict=False)]
        count = min(row[-1] + 1, self._counted)
        rows = {(*map(int.__and__, ahead, takes), count) for takes in self._takes}
        return {row for row in rows if not self._is_settled(row)}

    def _is_settled(self, row: Row) -> bool:
        """Return True if no string that goes on from ``row`` can be accepted."""
        return (
            not all(row[: self._demanded])
            or any(map(int.__and__, self._certain, row[self._demanded :]))
            or (self._most is not None and row[-1] > self._most)
        )

    def accepts(self, row: Row) -> bool:
        """Return True if a string of ``row`` has all that is demanded and nothing that is refused."""
        accepted = [bool(m.accepting & state) for m, state in zip(self._machines, row, strict=False)]
        return (
            all(accepted[: self._demanded])
            and not any(accepted[self._demanded :])
            and self._least <= row[-1]
            and (self._most is None or row[-1] <= self._most)
        )


def product(claim: dict[str, Any]) -> Product:
    """Return the automata of a claim. Raises TableRefused where a pattern cannot be read."""
    read = {key: [automaton(pattern, reading) for pattern, reading in claim[key]] for key in ("all", "none")}
    literals = [Automaton(("seq", *(("chars", ((ord(c), ord(c)),)) for c in text))) for text in claim["but"]]
    demanded, refused = ([machine for machine in machines if machine is not None] for machines in read.values())
    if len(demanded) + len(refused) < len(claim["all"]) + len(claim["none"]):
        raise TableRefused("a pattern cannot be read")
    return Product(demanded, [*refused, *literals], claim["least"], claim["most"])


def verify(table: dict[str, Any]) -> None:
    """Check that no string matches ``all`` and ``none`` of the patterns named so, by the rows of the table.

    Strings of other than ``least`` to ``most`` characters and the strings ``but`` are left out. Raises TableRefused.
    """
    machines = product(table)
    if len(table["rows"]) * machines.classes > MOST_TRANSITIONS:
        raise TableRefused(f"there are more than {MOST_TRANSITIONS:,} transitions")
    rows = {tuple(int(part, 16) for part in row.split()) for row in table["rows"]}
    if any(len(row) != len(machines.initial) or min(row) < 0 for row in rows):
        raise TableRefused("a row has not one state for each pattern")
    if machines.initial not in rows:
        raise TableRefused("the row of the empty string is missing")
    for row in rows:
        if machines.accepts(row):
            raise TableRefused("a row is accepted")
        if not machines.successors(row) <= rows:
            raise TableRefused("a row leads out of the table")
