"""Tables of states: the checker's part for patterns. A table shows that no string is matched by all of some patterns
and by none of others.

The row of a string has for each pattern the set of positions that a match of it may have reached, and the number of
characters where the table bounds it. A table is valid if it has the row of the empty string, if with every row it has
those of all strings that are one character longer, and if no row accepts. So no string does, by induction on its
length. A row from which none can accept any more, whatever follows, may be left out.

A pattern is one of ECMA-262 or of Python's ``re``, matched anywhere. Its reading is ``ecma`` (what jsonschema-rs makes
of it), ``python``, or ``python-sender``: as Python, but with ``$`` at the end only. Only what all engines of a reading
agree on is read: no look-around, back-reference, word boundary, flag, property of Unicode, or anchor in the middle.

Part of the checker, so nothing else of babelreg is imported. docs/proofs.md describes the method.
"""

from __future__ import annotations

import re
import sys
from array import array
from bisect import bisect_right
from functools import cache, lru_cache
from typing import Any

__all__ = ["READINGS", "Automaton", "PatternReader", "Product", "TableRefused", "automaton", "is_ecma", "matches"]
__all__ += ["product", "verify"]

READINGS = ("ecma", "python", "python-sender")
MOST_POSITIONS = 3_000
MOST_TERMS = 100_000
"""Terms of one automaton, with those that have no position: a group of nothing may be repeated, and repeated again."""
MOST_TRANSITIONS = 4_000_000
MOST_CHARACTERS = 2_000
MOST_MOVES = 100_000
"""Transitions of one automaton that are kept."""
LAST = 0x10FFFF

Ranges = tuple[tuple[int, int], ...]
Term = tuple[Any, ...]
"""A regular expression: ("chars", ranges), ("seq", *terms), ("alt", *terms), or ("star", term) for any number of it."""


class TableRefused(Exception):
    """A table that shows nothing. The text says why."""


class _UnreadableError(Exception):
    """A pattern outside the subset that all engines read alike."""


def union(sets: list[Ranges]) -> Ranges:
    """Return the code points that are in any of the sets, as sorted ranges that do not touch."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(item for ranges in sets for item in ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    """Return the code points that are in none of the ranges, which are sorted."""
    bounds = [-1, *(bound for item in ranges for bound in item), LAST + 1]
    gaps = ((last + 1, first - 1) for last, first in zip(bounds[::2], bounds[1::2], strict=True))
    return tuple((first, last) for first, last in gaps if first <= last)


EVERY: Ranges = ((0, LAST),)
LINE_FEED: Ranges = ((10, 10),)
_CONTROLS = {"0": 0, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_ECMA_CLASSES: dict[str, Ranges] = {
    "d": ((48, 57),),
    "w": ((48, 57), (65, 90), (95, 95), (97, 122)),
    # ECMA-262, WhiteSpace and LineTerminator
    "s": ((9, 13), (32, 32), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F),
          (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
}  # fmt: skip


@lru_cache(maxsize=8)
def class_of(letter: str, python: bool) -> Ranges:
    r"""Return what ``\d``, ``\w`` or ``\s`` matches; Python's classes are those of the Python that runs this."""
    if letter.isupper():
        return complement(class_of(letter.lower(), python))
    return tuple(_measured(letter)) if python else _ECMA_CLASSES[letter]


def _measured(letter: str) -> list[tuple[int, int]]:
    return [(found.start(), found.end() - 1) for found in re.finditer(rf"\{letter}+", _every_character())]


@cache
def _every_character() -> str:
    # In a third of the time of chr() for each: this is part of the start of many a run.
    return array("I", range(LAST + 1)).tobytes().decode(f"utf-32-{sys.byteorder[0]}e", "surrogatepass")


_ESCAPE = r"\\(?:[dwsDWStnvfr]|0(?![0-9])|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\}|[!-/:-@\[-`{-~])"
_MEMBER = rf"(?:{_ESCAPE}|(?!&&|~~|\|\||--)[^\\\[\]])"
_CHARACTER = re.compile(rf"{_ESCAPE}|[^\\^$.*+?()\[\]{{}}|]", re.DOTALL)
_SET = re.compile(rf"\[(\^?)({_MEMBER}+)\]", re.DOTALL)
_SPAN = re.compile(rf"({_MEMBER})(?:-({_MEMBER}))?", re.DOTALL)
_GROUP = re.compile(r"\(\?:|\((?!\?)")
_SIGN = re.compile(r"([*+?])\??(?![*+?{])")
_COUNT = re.compile(r"\{([0-9]{1,4})(,?)([0-9]{0,4})\}\??(?![*+?{])")
_SIGNS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_ANYTHING: Term = ("star", ("chars", EVERY))


def characters(text: str, python: bool) -> Ranges:
    """Return the code points that a literal or an escape matches. Raises _UnreadableError."""
    kind = text[1] if text[0] == "\\" else ""
    if kind.isalpha() and kind in "dwsDWS":
        return class_of(kind, python)
    if (python and text.startswith("\\u{")) or (not python and text in ("\\<", "\\>")):
        raise _UnreadableError
    code = int(text[2:].strip("{}"), 16) if kind in ("x", "u") else _CONTROLS.get(kind, ord(text[-1]))
    if code > LAST or 0xD800 <= code <= 0xDFFF:
        raise _UnreadableError
    return ((code, code),)


def repeated(term: Term, low: int, high: int | None) -> list[Term]:
    """Write a repetition out: ``x{2,4}`` as ``xxx?x?``, ``x{2,}`` as ``xxx*``."""
    further: list[Term] = [("star", term)] if high is None else [("alt", ("seq",), term)] * (high - low)
    return [term] * low + further


class PatternReader:
    """Recursive descent over the text of one pattern. Raises _UnreadableError."""

    def __init__(self, text: str, python: bool) -> None:
        self.text = text
        self.python = python
        self.at = 0

    def take(self, expected: str | re.Pattern[str]) -> re.Match[str] | None:
        """Go over what ``expected`` matches where it comes next."""
        found = re.compile(expected).match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found

    def pattern(self, end: Term) -> Term:
        """Return the whole pattern, which matches anywhere, as one that is matched from end to end."""
        branches: list[Term] = []
        while not branches or self.take(r"\|"):
            before: Term = ("seq",) if self.take(r"\^") else _ANYTHING
            branches.append(("seq", before, self.sequence(), end if self.take(r"\$") else _ANYTHING))
        if self.at < len(self.text):
            raise _UnreadableError
        return ("alt", *branches)

    def group(self) -> Term:
        branches = [self.sequence()]
        while self.take(r"\|"):
            branches.append(self.sequence())
        if not self.take(r"\)"):
            raise _UnreadableError
        return ("alt", *branches)

    def sequence(self) -> Term:
        items: list[Term] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)$":
            atom = self.atom()
            if found := self.take(_SIGN):
                items += repeated(atom, *_SIGNS[found[1]])
            elif found := self.take(_COUNT):
                low, high = int(found[1]), int(found[3]) if found[3] else None if found[2] else int(found[1])
                if (high is not None and high < low) or (found[3] and not found[2]):
                    raise _UnreadableError
                items += repeated(atom, low, high)
            else:
                items.append(atom)
        return ("seq", *items)

    def atom(self) -> Term:
        if self.take(_GROUP):
            return self.group()
        if self.take(r"\."):
            return ("chars", complement(LINE_FEED))
        if found := self.take(_CHARACTER):
            return ("chars", characters(found[0], self.python))
        if found := self.take(_SET):
            members = union([self.span(*span.groups()) for span in _SPAN.finditer(found[2])])
            return ("chars", complement(members) if found[1] else members)
        raise _UnreadableError

    def span(self, first: str, last: str | None) -> Ranges:
        low = characters(first, self.python)
        high = low if last is None else characters(last, self.python)
        if last is not None and not (low[0][0] == low[-1][1] <= high[0][0] == high[-1][1]):
            raise _UnreadableError
        return low if last is None else ((low[0][0], high[0][0]),)


class Automaton:
    """Position automaton (Glushkov) of a term. A state is a set of positions as the bits of an integer; 1 at first."""

    def __init__(self, term: Term) -> None:
        self.sets: list[Ranges] = [()]
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
            raise _UnreadableError
        if term[0] == "chars":
            self.sets.append(term[1])
            self.follow.append(0)
            if len(self.sets) > MOST_POSITIONS:
                raise _UnreadableError
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


def _holds(ranges: Ranges, code: int) -> bool:
    """Return True if a code point is in the ranges, which are sorted."""
    at = bisect_right(ranges, (code, LAST)) - 1
    return at >= 0 and code <= ranges[at][1]


def bits(mask: int) -> list[int]:
    """Return the numbers of the bits that are set."""
    return [at for at, digit in enumerate(reversed(f"{mask:b}")) if digit == "1"]


def is_ecma(pattern: str, reading: str) -> bool:
    """Return True if the pattern means what it means in ECMA-262: no engine of Python's may have it."""
    try:
        if reading != "ecma":
            re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return True
    return reading == "ecma"


@lru_cache(maxsize=256)
def automaton(pattern: str, reading: str) -> Automaton | None:
    """Return the automaton of all strings that ``pattern`` matches; None where it cannot be read."""
    python = not is_ecma(pattern, reading)
    end: Term = ("seq", *(repeated(("chars", LINE_FEED), 0, 1) if python and reading == "python" else ()))
    try:
        if len(pattern) > MOST_CHARACTERS:
            raise _UnreadableError
        return Automaton(PatternReader(pattern, python).pattern(end))
    except (_UnreadableError, RecursionError):
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
