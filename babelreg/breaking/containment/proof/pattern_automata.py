"""Finite automata of patterns: whether a string matches all of some patterns and none of others.

Patterns have the meaning of ECMA-262, as jsonschema-rs implements it, and match anywhere in the string. Python's
reading of a pattern is translated beforehand (:mod:`babelreg.schema.regex.python_patterns`). A pattern outside the
common subset (look-around, back-references, ``\\b``, ``\\p``, anchors in the middle) is not read at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from babelreg.schema.regex.code_points import (
    CodePoints,
    Partition,
    complement,
    named,
    single,
    span,
    union,
)

__all__ = ["matches", "no_string_left"]

_ENGINE = "jsonschema-rs"
_MAX_POSITIONS = 250
_MAX_REPEATS = 100
_EVERY = complement(())
_FIRST_SYMBOL = 0x4E00  # ideographs: none of them means anything to the parser of automata

_Pieces = tuple[str | CodePoints, ...]
"""A pattern anchored at both ends: syntax, and in between the set of characters allowed at each position."""


def no_string_left(
    matching: Sequence[str],
    none_of: Sequence[str] = (),
    least: int = 0,
    most: int | None = None,
    *,
    but: Iterable[str] = (),
) -> bool:
    """Return True if surely no string of ``least`` to ``most`` code points matches all of ``matching`` and none of
    ``none_of``. False means undecided.

    The strings ``but`` are not counted.
    """
    if most is not None and most < least:
        return True
    # A pattern that cannot be read is left out: the set of strings only grows by that.
    demanded = [pieces for pattern in matching if (pieces := _read(pattern)) is not None]
    if least or most is not None:
        demanded += [_lengths(least, most)] if max(least, most or 0) <= _MAX_REPEATS else []
    refused = [pieces for pattern in none_of if (pieces := _read(pattern)) is not None]
    refused += [tuple(map(single, text)) or ("",) for text in but]
    if not demanded and not refused:
        return False
    every = [*(demanded or [_lengths(0, None)]), *refused]
    partition = Partition([_EVERY, *(piece for pieces in every for piece in pieces if not isinstance(piece, str))])
    machines = [_machine(_spelled(pieces, partition)) for pieces in every]
    # One ``&`` or ``-`` at a time: each intermediate automaton is minimised before it grows.
    rest = machines[0]
    for machine in machines[1 : len(every) - len(refused)]:
        rest = rest & machine
    for machine in machines[len(every) - len(refused) :]:
        rest = rest - machine
    return bool(rest.empty())


def matches(pattern: str, text: str) -> bool | None:
    """Return whether ``text`` matches ``pattern``; None where the pattern cannot be read."""
    read = _alone(pattern)
    if read is None:
        return None
    partition, machine = read
    return bool(machine.accepts([_symbol(partition.part(character)) for character in text]))


@lru_cache(maxsize=512)
def _alone(pattern: str) -> tuple[Partition, Any] | None:
    pieces = _read(pattern)
    if pieces is None:
        return None
    partition = Partition([_EVERY, *(piece for piece in pieces if not isinstance(piece, str))])
    return partition, _machine(_spelled(pieces, partition))


def _lengths(least: int, most: int | None) -> _Pieces:
    return (_EVERY, f"{{{least},{'' if most is None else most}}}")


@lru_cache(maxsize=512)
def _read(pattern: str) -> _Pieces | None:
    """Return the parsed pattern; None where it cannot be read."""
    try:
        return tuple(_Parser(pattern).pieces())
    except _UnreadError:
        return None


def _spelled(pieces: _Pieces, partition: Partition) -> str:
    """Return the pattern over an alphabet of one symbol for each class of ``partition``."""
    return "".join(piece if isinstance(piece, str) else _bracket(partition.of(piece)) for piece in pieces)


def _bracket(parts: Sequence[int]) -> str:
    return f"[{''.join(map(_symbol, parts))}]"


def _symbol(part: int) -> str:
    return chr(_FIRST_SYMBOL + part)


@lru_cache(maxsize=512)
def _machine(pattern: str) -> Any:
    from interegular import parse_pattern

    return parse_pattern(pattern).to_fsm()


class _UnreadError(Exception):
    """A pattern that engines read differently, or that no automaton accepts."""


_QUANTIFIER = re.compile(r"(?:[*+?]|\{([0-9]{1,4})(,([0-9]{0,4}))?\})\??")
_CLASSES = {"d": "digit", "w": "word", "s": "space"}
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
_HEX = re.compile(r"u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})")
_WORD_EDGES = "<>"  # jsonschema-rs reads these escapes as the start and the end of a word


class _Parser:
    """Parser of the subset of ECMA-262 patterns that all engines read alike."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._positions = 0

    def pieces(self) -> list[str | CodePoints]:
        """Return the whole pattern, anchored at both ends. Raises _UnreadError."""
        pieces = self._branch()
        while self._next("|"):
            pieces = [*pieces, "|", *self._branch()]
        if self._at < len(self._pattern):
            raise _UnreadError
        return pieces

    def _branch(self) -> list[str | CodePoints]:
        anything: list[str | CodePoints] = [_EVERY, "*"]
        head = [] if self._next("^") else anything
        body = self._sequence()
        tail = [] if self._next("$") else anything
        return ["(?:", *head, *body, *tail, ")"]

    def _sequence(self) -> list[str | CodePoints]:
        parts: list[str | CodePoints] = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)$":
            before = self._positions
            parts += self._quantified(self._atom(), before)
        return parts

    def _quantified(self, atom: list[str | CodePoints], before: int) -> list[str | CodePoints]:
        quantifier = _QUANTIFIER.match(self._pattern, self._at)
        if quantifier is None:
            return atom
        self._at = quantifier.end()
        text = quantifier[0][:-1] if len(quantifier[0]) > 1 and quantifier[0].endswith("?") else quantifier[0]
        if quantifier[1] is not None:
            least, most = int(quantifier[1]), int(quantifier[3]) if quantifier[3] else int(quantifier[1])
            if max(least, most) > _MAX_REPEATS or (quantifier[3] and most < least):
                raise _UnreadError
            self._count((self._positions - before) * max(least, most))
        return ["(?:", *atom, f"){text}"]

    def _atom(self) -> list[str | CodePoints]:
        self._count(1)
        if self._next("(?:") or (not self._pattern.startswith("(?", self._at) and self._next("(")):
            parts = ["(?:", *self._sequence()]
            while self._next("|"):
                parts += ["|", *self._sequence()]
            if not self._next(")"):
                raise _UnreadError
            return [*parts, ")"]
        return [self._set()]

    def _set(self) -> CodePoints:
        """Return the characters allowed at one position."""
        if self._next("["):
            points = self._bracket()
        else:
            points = self._character_or_class()
        if not points:
            raise _UnreadError  # an empty set has no symbol in the automaton
        return points

    def _character_or_class(self) -> CodePoints:
        character = self._pattern[self._at]
        self._at += 1
        if character == ".":
            return complement(named(_ENGINE, "line_end"))
        if character == "\\":
            return self._escape()
        if character in "^*+?{}()]":
            raise _UnreadError
        return single(character)

    def _escape(self) -> CodePoints:
        """Return the characters of an escape whose backslash has been read."""
        letter = self._pattern[self._at : self._at + 1]
        if letter and letter in "dwsDWS":
            self._at += 1
            points = named(_ENGINE, _CLASSES[letter.lower()])
            return complement(points) if letter.isupper() else points
        return single(self._character())

    def _character(self) -> str:
        """Return the one character of an escape whose backslash has been read."""
        character = self._pattern[self._at : self._at + 1]
        code = _HEX.match(self._pattern, self._at)
        if code is not None:
            self._at = code.end()
            point = int(code[1] or code[2] or code[3], 16)
            if point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
                raise _UnreadError
            return chr(point)
        self._at += 1
        if character in _ESCAPES and not self._pattern[self._at : self._at + 1].isdigit():
            return _ESCAPES[character]
        if not character or character.isalnum() or character in _WORD_EDGES or not character.isascii():
            raise _UnreadError
        return character

    def _bracket(self) -> CodePoints:
        negated = self._next("^")
        members: list[CodePoints] = []
        while not self._next("]"):
            first = self._member()
            following = self._pattern[self._at : self._at + 2]
            if following[:1] == "-" and following != "-]":
                self._at += 1
                last = self._member()
                if not (_is_single(first) and _is_single(last)) or last < first:
                    raise _UnreadError
                first = span(chr(first[0][0]), chr(last[0][0]))
            members.append(first)
        if not members:
            raise _UnreadError
        points = union(members)
        return complement(points) if negated else points

    def _member(self) -> CodePoints:
        """Return one member of a bracket expression."""
        if self._at >= len(self._pattern):
            raise _UnreadError
        character = self._pattern[self._at]
        self._at += 1
        following = self._pattern[self._at : self._at + 1]
        if character in "[&~|-" and following and following in (character, ":"):
            raise _UnreadError  # set operations and POSIX classes of some engines
        return self._escape() if character == "\\" else single(character)

    def _next(self, expected: str) -> bool:
        if self._pattern.startswith(expected, self._at):
            self._at += len(expected)
            return True
        return False

    def _count(self, positions: int) -> None:
        self._positions += positions
        if self._positions > _MAX_POSITIONS:
            raise _UnreadError


def _is_single(points: CodePoints) -> bool:
    return len(points) == 1 and points[0][0] == points[0][1]
