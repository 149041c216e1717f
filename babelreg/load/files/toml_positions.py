"""Positions of keys and values in TOML text: tomllib returns values only.

The text is known to be valid TOML, so no errors are detected: the scanner follows headers, keys and brackets,
and skips strings and comments.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right

from babelreg.schema.pointer import Pointer

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE = re.compile(r"[^,\]}\n#]*")


class TomlPositions:
    """The offsets of all keys and values of ``text``, by pointer."""

    def __init__(self, text: str) -> None:
        self.keys: dict[Pointer, int] = {}
        self.values: dict[Pointer, int] = {}
        self._text = text
        self._at = 0
        self._counts: dict[Pointer, int] = {}
        self._lines = [0, *(line_break.end() for line_break in re.finditer("\n", text))]
        self._read()

    def line_and_column(self, pointer: Pointer, *, key: bool = False) -> tuple[int, int]:
        """Return the position of the value at ``pointer``, or of its key; without one, that of the nearest parent."""
        steps = tuple(pointer)
        while steps and steps not in self.keys and steps not in self.values:
            steps, key = steps[:-1], False
        kinds = (self.keys, self.values) if key else (self.values, self.keys)
        offset = next((kind[steps] for kind in kinds if steps in kind), 0)
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def _read(self) -> None:
        table: Pointer = ()
        while True:
            self._skip(_BLANK)
            if self._at >= len(self._text):
                return
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._member(table)

    def _header(self) -> Pointer:
        repeated = self._text.startswith("[[", self._at)
        start = self._at
        self._at += 2 if repeated else 1
        *above, last = self._key()
        table = self._open((), above)
        table = (*table, last[0])
        self.keys.setdefault(table, last[1])
        if repeated:
            self._counts[table] = count = self._counts.get(table, -1) + 1
            table = (*table, count)
        elif table in self._counts:
            table = (*table, self._counts[table])
        self.values[table] = start
        self._skip(_SPACE)
        self._at += 2 if repeated else 1
        return table

    def _open(self, table: Pointer, parts: list[tuple[str, int]]) -> Pointer:
        """Return the table that dotted ``parts`` lead to; of one that is repeated, the last so far."""
        for part, offset in parts:
            table = (*table, part)
            self.keys.setdefault(table, offset)
            if table in self._counts:
                table = (*table, self._counts[table])
        return table

    def _member(self, table: Pointer) -> None:
        *above, last = self._key()
        table = self._open(table, above)
        at = (*table, last[0])
        self.keys[at] = last[1]
        self._skip(_SPACE)
        self._at += 1  # the equals sign
        self._skip(_SPACE)
        self._value(at)

    def _key(self) -> list[tuple[str, int]]:
        parts = []
        while True:
            self._skip(_SPACE)
            start = self._at
            if self._text[start] in "\"'":
                self._string()
                parts.append((_unquoted(self._text[start : self._at]), start))
            else:
                self._skip(_BARE_KEY)
                parts.append((self._text[start : self._at], start))
            self._skip(_SPACE)
            if self._text[self._at : self._at + 1] != ".":
                return parts
            self._at += 1

    def _value(self, at: Pointer) -> None:
        self.values[at] = self._at
        first = self._text[self._at]
        if first in "\"'":
            self._string()
        elif first in "[{":
            self._collection(at, "]" if first == "[" else "}")
        else:
            self._skip(_BARE_VALUE)

    def _collection(self, at: Pointer, closing: str) -> None:
        self._at += 1
        index = 0
        while True:
            self._skip(_BLANK)
            if self._text[self._at] == closing:
                self._at += 1
                return
            if closing == "]":
                self._value((*at, index))
            else:
                self._member(at)
            index += 1
            self._skip(_BLANK)
            if self._text[self._at] == ",":
                self._at += 1

    def _string(self) -> None:
        quote = self._text[self._at]
        end = quote * 3 if self._text.startswith(quote * 3, self._at) else quote
        position = self._text.index(end, self._at + len(end))
        while quote == '"' and self._escaped(position):
            position = self._text.index(end, position + 1)
        self._at = position + len(end)
        while len(end) == 3 and self._text.startswith(quote, self._at):
            self._at += 1  # up to two quotes more may stand before the three that end the text

    def _escaped(self, at: int) -> bool:
        start = at
        while self._text[start - 1] == "\\":
            start -= 1
        return (at - start) % 2 == 1

    def _skip(self, what: re.Pattern[str]) -> None:
        match = what.match(self._text, self._at)
        self._at = match.end() if match else self._at


def _unquoted(spelled: str) -> str:
    if spelled[0] == '"' and "\\" in spelled:
        try:
            return str(json.loads(spelled))
        except ValueError:
            return spelled[1:-1]  # an escape that JSON does not have: the place is then that of its table
    return spelled[1:-1]
