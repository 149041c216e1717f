"""Patterns of ``.gitignore`` files and of ``ignore_files`` in the settings.

The syntax is that of gitignore(5): ``*``, ``?`` and ``[a-z]`` match letters of one name, ``**`` for any folders, a
slash at the end asks for a folder, one elsewhere ties the pattern to the folder of its file, ``!`` takes back what an
earlier pattern ignores, and the last pattern that matches decides. Matching takes time linear in pattern times path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple

from babelreg.lazy_pattern import LazyPattern

FILE = ".gitignore"
_MOST_LINES = 2_000  # of one file; the rest ignores nothing
_TOKEN = LazyPattern(
    r"\\(?P<literal>.)|(?P<star>\*+)|(?P<any>\?)|\[(?P<not>[!^]?)(?P<set>\]?[^\]]*)\]|(?P<plain>.)", re.DOTALL
)

_Fits = Callable[[str], bool]
_Segment = tuple[_Fits | None, ...]  # None stands for a star
_DEEP: _Segment = (None, None)  # ``**``


class _Pattern(NamedTuple):
    """``anchored``: compared with the whole path below ``base``, else with the last name alone."""

    base: str
    segments: tuple[_Segment, ...]
    anchored: bool
    folder: bool
    keeps: bool

    def matches(self, path: str, is_folder: bool) -> bool:
        if (self.folder and not is_folder) or not path.startswith(self.base):
            return False
        names = path[len(self.base) :].split("/")
        return _walked(self.segments, names if self.anchored else names[-1:])


class Ignored:
    """The patterns that apply below one folder, in the order they are read.

    ``prefix`` leads from the folder of the topmost patterns to ours: it is empty or ends in a slash. Whether our own
    folder is ignored does not matter.
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._patterns: list[_Pattern] = []
        self._folders: dict[str, bool] = {"": False}

    def add(self, lines: Iterable[str], base: str) -> None:
        """Read the patterns of the folder ``base``, a path below the topmost one that is empty or ends in a slash."""
        patterns = (_parsed(line, base) for line in islice(lines, _MOST_LINES))
        self._patterns += [pattern for pattern in patterns if pattern is not None]

    def ignores(self, path: str) -> bool:
        """Return True when a pattern ignores the file ``path``, or a folder that it is in."""
        return self.ignores_folder(path.rpartition("/")[0]) or self._matched(path, is_folder=False)

    def ignores_folder(self, path: str) -> bool:
        """Return True when a pattern ignores the folder ``path``, or one that it is in; False for our own."""
        if path not in self._folders:
            above = path.rpartition("/")[0]
            self._folders[path] = self.ignores_folder(above) or self._matched(path, is_folder=True)
        return self._folders[path]

    def _matched(self, path: str, *, is_folder: bool) -> bool:
        """Return True when the last pattern that matches ``path`` itself ignores it."""
        full_path = self._prefix + path
        last_match = next((p for p in reversed(self._patterns) if p.matches(full_path, is_folder)), None)
        return last_match is not None and not last_match.keeps


def _parsed(line: str, base: str) -> _Pattern | None:
    text = line.rstrip("\r\n")
    while text.endswith(" ") and not text.endswith("\\ "):
        text = text[:-1]
    if not text or text.startswith("#"):
        return None
    keeps = text.startswith("!")
    text = text.removeprefix("!")
    folder, text = text.endswith("/"), text.rstrip("/")
    segments = [segment for segment in text.split("/") if segment not in ("", ".")]
    if not segments:
        return None
    return _Pattern(base, tuple(_segment(s) for s in segments), "/" in text, folder, keeps)


def _segment(text: str) -> _Segment:
    if text == "**":
        return _DEEP
    parts: list[_Fits | None] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "star":
            parts.append(None)
        elif kind == "any":
            parts.append(lambda letter: True)
        elif kind == "set":
            parts.append(_set(match["set"], inverted=bool(match["not"])))
        else:
            parts.append((match["literal"] or match["plain"]).__eq__)
    return tuple(parts)


def _set(text: str, *, inverted: bool) -> _Fits:
    letters = set(text)
    ranges = [(text[at - 1], text[at + 1]) for at in range(1, len(text) - 1) if text[at] == "-"]

    def fits(letter: str) -> bool:
        return inverted != (letter in letters or any(low <= letter <= high for low, high in ranges))

    return fits


def _walked(segments: tuple[_Segment, ...], names: list[str]) -> bool:
    """Return True when ``segments`` match all of ``names``."""
    reached = {0}
    for number, segment in enumerate(segments):
        if segment == _DEEP:
            first = min(reached) + (number == len(segments) - 1)  # a/** is what is in a, not a itself
            reached = set(range(first, len(names) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(names) and _fits(segment, names[at])}
        if not reached:
            return False
    return len(names) in reached


def _fits(segment: _Segment, name: str) -> bool:
    """Return True when one name fits; only the last star is taken back where what follows it does not."""
    at = part = 0
    star = resume = -1
    while at < len(name):
        if part < len(segment) and segment[part] is None:
            star, resume, part = part, at, part + 1
        elif part < len(segment) and (fits := segment[part]) is not None and fits(name[at]):
            at, part = at + 1, part + 1
        elif star >= 0:
            resume += 1
            at, part = resume, star + 1
        else:
            return False
    return all(fits is None for fits in segment[part:])
