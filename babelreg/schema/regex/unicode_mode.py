"""Patterns of JSON Schema as JavaScript's flag ``u`` reads them, with the meaning that they have in jsonschema-rs.

With this flag, JavaScript refuses escapes that need none and braces that count nothing; its dot stops at four line
ends instead of one, and its word boundaries know the words of ASCII alone.
"""

from __future__ import annotations

import re

from babelreg.schema.regex.foreign_syntax import foreign

_COUNT = re.compile(r"\{[0-9]+(,[0-9]*)?\}")
_LONG_ESCAPE = re.compile(r"\\(?:[pP]\{[^}]*\}|u\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|k<[^>]*>)")
_LETTERS = frozenset("dDwWsStnvfr0123456789")
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")
_WORD = r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_C}]"
_BOUNDARY = rf"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))"
_NO_BOUNDARY = rf"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))"


def in_unicode_mode(pattern: str) -> str:
    """Return ``pattern`` in the syntax of the flag ``u``.

    Raises ValueError, with what to write instead, for a construct of another language, which jsonschema-rs reads.
    """
    if (found := foreign(pattern)) is not None:
        raise ValueError(f"{found[0]} is not part of ECMA-262; write {found[1]}")
    return "".join(_PatternSpelling(pattern).pieces())


class _PatternSpelling:
    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0

    def pieces(self) -> list[str]:
        pieces = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "\\":
                pieces.append(self.escape())
            elif char == "[":
                pieces.append(self.set())
            elif char == "{" and (count := _COUNT.match(self.text, self.at)):
                self.at = count.end()
                pieces.append(count[0])
            else:
                self.at += 1
                pieces.append(r"[^\n]" if char == "." else f"\\{char}" if char in "{}]" else char)
        return pieces

    def escape(self, *, in_set: bool = False) -> str:
        if found := _LONG_ESCAPE.match(self.text, self.at):
            self.at = found.end()
            return found[0]
        char = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if char == "b":
            return r"\b" if in_set else _BOUNDARY
        if char == "B" and not in_set:
            return _NO_BOUNDARY
        if char in _SYNTAX or char in _LETTERS or (in_set and char == "-"):
            return f"\\{char}"
        if char.isascii() and char.isalpha():
            raise ValueError(f"\\{char} is not part of ECMA-262; write the character itself")
        return char

    def set(self) -> str:
        """Return a set of characters. In jsonschema-rs a first ``]`` is one of them."""
        self.at += 1
        pieces = ["["]
        if self.text[self.at : self.at + 1] == "^":
            self.at += 1
            pieces.append("^")
        if self.text[self.at : self.at + 1] == "]":
            self.at += 1
            pieces.append(r"\]")
        while self.at < len(self.text) and (char := self.text[self.at]) != "]":
            if char == "\\":
                pieces.append(self.escape(in_set=True))
            else:
                self.at += 1
                pieces.append(char)
        self.at += 1
        return "".join([*pieces, "]"])
