"""Patterns read as terms: the checker's part for the syntax of regular expressions.

A pattern is one of ECMA-262 or of Python's ``re``, matched anywhere. Its reading is ``ecma`` (what jsonschema-rs makes
of it), ``python``, or ``python-sender``: as Python, but with ``$`` at the end only. Only what all engines of a reading
agree on is read: no look-around, back-reference, word boundary, flag, property of Unicode, or anchor in the middle. The
parser of ``schema/regex`` is another one on purpose: it reads all of ECMA-262, and part of it by guess.

Part of the checker: of babelreg, it imports sets of code points only.
"""

from __future__ import annotations

import re
import sys
from array import array
from functools import cache, lru_cache
from typing import Any

from babelreg.schema.regex.code_points import CodePoints, complement, named, union

READINGS = ("ecma", "python", "python-sender")
MOST_CHARACTERS = 2_000
LAST = 0x10FFFF

Term = tuple[Any, ...]
"""A regular expression: ("chars", ranges), ("seq", *terms), ("alt", *terms), or ("star", term) for any number of it."""

EVERY: CodePoints = ((0, LAST),)
LINE_FEED: CodePoints = ((10, 10),)


class PatternUnreadable(Exception):
    """A pattern outside the subset that all engines read alike."""


def is_ecma(pattern: str, reading: str) -> bool:
    """Return True if the pattern means what it means in ECMA-262: no engine of Python's may have it."""
    try:
        if reading != "ecma":
            re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return True
    return reading == "ecma"


def term_of(pattern: str, reading: str) -> Term:
    """Return the term of all strings that ``pattern`` matches. Raises PatternUnreadable."""
    if len(pattern) > MOST_CHARACTERS:
        raise PatternUnreadable
    python = not is_ecma(pattern, reading)
    end: Term = ("seq", *(repeated(("chars", LINE_FEED), 0, 1) if python and reading == "python" else ()))
    return PatternReader(pattern, python).pattern(end)


_CONTROLS = {"0": 0, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_CLASSES = {"d": "digit", "w": "word", "s": "space"}


@lru_cache(maxsize=8)
def class_of(letter: str, python: bool) -> CodePoints:
    r"""Return what ``\d``, ``\w`` or ``\s`` matches; Python's classes are those of the Python that runs this."""
    if letter.isupper():
        return complement(class_of(letter.lower(), python))
    if not python:
        return named("jsonschema-rs", _CLASSES[letter])
    return tuple((found.start(), found.end() - 1) for found in re.finditer(rf"\{letter}+", _every_character()))


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


def characters(text: str, python: bool) -> CodePoints:
    """Return the code points that a literal or an escape matches. Raises PatternUnreadable."""
    kind = text[1] if text[0] == "\\" else ""
    if kind.isalpha() and kind in "dwsDWS":
        return class_of(kind, python)
    if (python and text.startswith("\\u{")) or (not python and text in ("\\<", "\\>")):
        raise PatternUnreadable
    code = int(text[2:].strip("{}"), 16) if kind in ("x", "u") else _CONTROLS.get(kind, ord(text[-1]))
    if code > LAST or 0xD800 <= code <= 0xDFFF:
        raise PatternUnreadable
    return ((code, code),)


def repeated(term: Term, low: int, high: int | None) -> list[Term]:
    """Write a repetition out: ``x{2,4}`` as ``xxx?x?``, ``x{2,}`` as ``xxx*``."""
    further: list[Term] = [("star", term)] if high is None else [("alt", ("seq",), term)] * (high - low)
    return [term] * low + further


class PatternReader:
    """Recursive descent over the text of one pattern. Raises PatternUnreadable."""

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
            raise PatternUnreadable
        return ("alt", *branches)

    def group(self) -> Term:
        branches = [self.sequence()]
        while self.take(r"\|"):
            branches.append(self.sequence())
        if not self.take(r"\)"):
            raise PatternUnreadable
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
                    raise PatternUnreadable
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
        raise PatternUnreadable

    def span(self, first: str, last: str | None) -> CodePoints:
        low = characters(first, self.python)
        high = low if last is None else characters(last, self.python)
        if last is not None and not (low[0][0] == low[-1][1] <= high[0][0] == high[-1][1]):
            raise PatternUnreadable
        return low if last is None else ((low[0][0], high[0][0]),)
