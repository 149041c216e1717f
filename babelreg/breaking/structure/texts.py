"""Texts that match patterns, as automata: whether any is left that matches these and none of those.

Patterns mean what ECMA-262 says, searched for anywhere in the text. Engines disagree on what ``.``, ``\\d``, ``\\w``
and ``\\s`` are; an answer counts when it holds in the narrowest and in the widest reading. A pattern outside the
common subset (look-around, back-references, ``\\b``, ``\\p``, anchors in the middle) is not read at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

__all__ = ["found", "nothing_left"]

_MOST_POSITIONS = 250
_MOST_REPEATS = 100
_ANY = r"(?:[^a]|a)"


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the classes mean, as the inside of a bracket expression."""

    line_ends: str
    digits: str
    word: str
    space: str


_READINGS = (
    _Reading("\n", "0-9", "A-Za-z0-9_", " \t\n\v\f\r"),
    _Reading("\n\r\u2028\u2029", "0-9\u0660-\u0669", "A-Za-z0-9_\u0660-\u0669\u00e0-\u00ff", " \t\n\v\f\r\xa0\ufeff"),
)


def nothing_left(matching: Sequence[str], none_of: Sequence[str] = (), least: int = 0, most: int | None = None) -> bool:
    """True if surely no text of ``least`` to ``most`` characters matches all of ``matching`` and ``none_of`` those.

    False says nothing. Lengths count code points.
    """
    if most is not None and most < least:
        return True
    return all(_nothing_left(tuple(matching), tuple(none_of), least, most, reading) for reading in _READINGS)


def found(pattern: str, text: str) -> bool | None:
    """Whether ``pattern`` is found in ``text``; None where engines may not agree."""
    machines = [_machine(pattern, reading) for reading in _READINGS]
    answers = {None if machine is None else bool(machine.accepts(text)) for machine in machines}
    return answers.pop() if len(answers) == 1 else None


def _nothing_left(
    matching: tuple[str, ...], none_of: tuple[str, ...], least: int, most: int | None, reading: _Reading
) -> bool:
    machines = [_machine(pattern, reading) for pattern in matching]
    # One that cannot be read is left out: that makes what is left larger, never smaller.
    left = [machine for machine in machines if machine is not None]
    if least or most is not None:
        left += [_lengths(least, most)] if max(least, most or 0) <= _MOST_REPEATS else []
    refused = [machine for pattern in none_of if (machine := _machine(pattern, reading)) is not None]
    if not left and not refused:
        return False
    # ``&`` and ``-`` of one machine at a time: each result is reduced before it grows.
    here = left[0] if left else _lengths(0, None)
    for machine in left[1:]:
        here = here & machine
    for machine in refused:
        here = here - machine
    return bool(here.empty())


@lru_cache(maxsize=64)
def _lengths(least: int, most: int | None) -> Any:
    return _built(f"{_ANY}{{{least},{'' if most is None else most}}}")


@lru_cache(maxsize=512)
def _machine(pattern: str, reading: _Reading) -> Any:
    """The automaton of all texts in which ``pattern`` is found; None where it cannot be read."""
    try:
        translated = _Translation(pattern, reading).text()
    except _UnreadError:
        return None
    return _built(translated)


def _built(pattern: str) -> Any:
    from interegular import parse_pattern

    return parse_pattern(pattern).to_fsm()


class _UnreadError(Exception):
    """A pattern that means different things to different engines, or nothing to an automaton."""


_QUANTIFIER = re.compile(r"(?:[*+?]|\{([0-9]{1,4})(,([0-9]{0,4}))?\})\??")
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
_HEX = re.compile(r"u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})")


class _Translation:
    """A pattern of ECMA-262 as one that is matched from end to end, in the few constructs that mean the same to all."""

    def __init__(self, pattern: str, reading: _Reading) -> None:
        self._pattern = pattern
        self._reading = reading
        self._at = 0
        self._positions = 0

    def text(self) -> str:
        """The translation. Raises _UnreadError."""
        branches = [self._branch()]
        while self._next("|"):
            branches.append(self._branch())
        if self._at < len(self._pattern):
            raise _UnreadError
        return "|".join(f"(?:{branch})" for branch in branches)

    def _branch(self) -> str:
        head = "" if self._next("^") else f"{_ANY}*"
        body = self._sequence()
        tail = "" if self._next("$") else f"{_ANY}*"
        return head + body + tail

    def _sequence(self) -> str:
        parts = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)$":
            before = self._positions
            parts.append(self._quantified(self._atom(), before))
        return "".join(parts)

    def _quantified(self, atom: str, before: int) -> str:
        found = _QUANTIFIER.match(self._pattern, self._at)
        if found is None:
            return atom
        self._at = found.end()
        text = (
            found[0] if found[0] in ("?", "*", "+") else found[0].removesuffix("?") if len(found[0]) > 1 else found[0]
        )
        if found[1] is not None:
            least, most = int(found[1]), int(found[3]) if found[3] else int(found[1])
            if max(least, most) > _MOST_REPEATS or (found[3] and most < least):
                raise _UnreadError
            self._count((self._positions - before) * max(least, most))
        return f"(?:{atom}){text}"

    def _atom(self) -> str:
        self._count(1)
        if self._next("(?:") or (not self._pattern.startswith("(?", self._at) and self._next("(")):
            branches = [self._sequence()]
            while self._next("|"):
                branches.append(self._sequence())
            if not self._next(")"):
                raise _UnreadError
            return f"(?:{'|'.join(f'(?:{branch})' for branch in branches)})"
        if self._next("["):
            return self._bracket()
        character = self._pattern[self._at]
        self._at += 1
        if character == ".":
            return f"[^{_inside(self._reading.line_ends)}]"
        if character == "\\":
            return self._escape()
        if character in "^*+?{}()]":
            raise _UnreadError
        return _literal(character)

    def _escape(self) -> str:
        inside, negated = self._class_or_character()
        return f"[{'^' if negated else ''}{inside}]"

    def _class_or_character(self) -> tuple[str, bool]:
        """What an escape stands for, as the inside of a bracket expression, and whether all but that is meant."""
        if self._at >= len(self._pattern):
            raise _UnreadError
        character = self._pattern[self._at]
        classes = {"d": self._reading.digits, "w": self._reading.word, "s": self._reading.space}
        if character.lower() in classes:
            self._at += 1
            return classes[character.lower()], character.isupper()
        return _inside(self._character()), False

    def _character(self) -> str:
        """The one character that an escape stands for; the backslash has been read."""
        character = self._pattern[self._at]
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
        if character.isalnum():
            raise _UnreadError
        return character

    def _bracket(self) -> str:
        negated = self._next("^")
        inside = ""
        while not self._next("]"):
            first, single = self._member()
            following = self._pattern[self._at : self._at + 2]
            if single is not None and following[:1] == "-" and following != "-]":
                self._at += 1
                _, last = self._member()
                if last is None or last < single:
                    raise _UnreadError
                first = f"{_inside(single)}-{_inside(last)}"
            inside += first
        if not inside:
            raise _UnreadError
        return f"[{'^' if negated else ''}{inside}]"

    def _member(self) -> tuple[str, str | None]:
        """One member of a bracket expression: as text, and the character if it is a single one."""
        if self._at >= len(self._pattern):
            raise _UnreadError
        character = self._pattern[self._at]
        self._at += 1
        if character in "[&~" and self._pattern[self._at : self._at + 1] in (character, ":"):
            raise _UnreadError  # set operations and POSIX classes of some engines
        if character != "\\":
            return _inside(character), character
        before = self._at
        inside, negated = self._class_or_character()
        if negated:
            raise _UnreadError
        if self._pattern[before].lower() in "dws":
            return inside, None
        self._at = before
        single = self._character()
        return _inside(single), single

    def _next(self, expected: str) -> bool:
        if self._pattern.startswith(expected, self._at):
            self._at += len(expected)
            return True
        return False

    def _count(self, positions: int) -> None:
        self._positions += positions
        if self._positions > _MOST_POSITIONS:
            raise _UnreadError


def _literal(character: str) -> str:
    return f"\\{character}" if character in r"\.^$*+?{}[]()|/" else character


def _inside(characters: str) -> str:
    return "".join(f"\\{c}" if c in r"\]^-[" else c for c in characters)
