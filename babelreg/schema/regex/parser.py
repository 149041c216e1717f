"""A regular expression of ECMA 262, taken apart: its structure, and the constructs that not every engine has.

Sets of characters are told as far as they are sure; where a set is not known it is empty, so whoever looks for what two
parts have in common finds too little, never too much.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Alternatives", "Chars", "Construct", "Node", "Regex", "Repeat", "Sequence", "Zero", "parse"]

MOST_CHARACTERS = 2000
MOST_DEPTH = 40
LAST = 0x10FFFF

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a set."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Zero:
    """What takes no character: an anchor, a look around. ``sure`` is False for what cannot be told (``\\1``)."""

    sure: bool = True


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One of them."""

    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """``body`` at least ``low`` times and at most ``high`` times, None for any number. ``at`` is its quantifier."""

    body: Node
    low: int
    high: int | None
    at: int


Node = Chars | Zero | Sequence | Alternatives | Repeat


@dataclass(frozen=True, slots=True)
class Construct:
    """A construct that not every engine has: its ``kind``, as written, and where."""

    kind: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Regex:
    """``node`` is None where the expression could not be read to its end; ``uses`` are those before that."""

    node: Node | None
    uses: tuple[Construct, ...]


@lru_cache(maxsize=4096)
def parse(pattern: str) -> Regex:
    """``pattern`` taken apart. Never raises; the work grows with the length of the pattern alone."""
    if len(pattern) > MOST_CHARACTERS:
        return Regex(None, ())
    reader = _Reader(pattern)
    try:
        node: Node | None = reader.alternatives(0)
        if reader.at < len(pattern):
            node = None
    except _Unread:
        node = None
    return Regex(node, tuple(reader.uses))


class _Unread(Exception):
    """The expression goes on in a way that is not known here."""


_DIGIT: Ranges = ((48, 57),)
_WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
_SPACE: Ranges = ((9, 13), (32, 32), (160, 160), (0xFEFF, 0xFEFF))
_LINE_ENDS: Ranges = ((10, 10), (13, 13), (0x2028, 0x2029))
_CONTROLS = {"n": 10, "r": 13, "t": 9, "f": 12, "v": 11, "0": 0}
_COUNT = re.compile(r"\{(\d{1,9})(,(\d{0,9}))?\}", re.ASCII)
_HEX = re.compile(r"x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\}")
_PROPERTY = re.compile(r"[pP]\{([A-Za-z_]+)(=[A-Za-z0-9_]+)?\}")
_SYNTAX = "^$\\.*+?()[]{}|/"
# The letters and digits that everyone agrees on.
_SURE: dict[str, Ranges] = {
    **dict.fromkeys(("L", "Letter", "Alphabetic"), ((65, 90), (97, 122))),
    **dict.fromkeys(("Lu", "Uppercase_Letter", "Uppercase"), ((65, 90),)),
    **dict.fromkeys(("Ll", "Lowercase_Letter", "Lowercase"), ((97, 122),)),
    **dict.fromkeys(("N", "Nd", "Number", "Decimal_Number"), _DIGIT),
}
_GROUPS = (
    ("(?:", "plain"),
    ("(?=", "lookahead"),
    ("(?!", "lookahead"),
    ("(?<=", "lookbehind"),
    ("(?<!", "lookbehind"),
    ("(?<", "named"),
)


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0
        self.uses: list[Construct] = []

    def use(self, kind: str, start: int) -> None:
        self.uses.append(Construct(kind, self.text[start : self.at], start))

    def next(self) -> str:
        return self.text[self.at : self.at + 1]

    def alternatives(self, depth: int) -> Node:
        if depth > MOST_DEPTH:
            raise _Unread
        branches = [self.sequence(depth)]
        while self.next() == "|":
            self.at += 1
            branches.append(self.sequence(depth))
        return branches[0] if len(branches) == 1 else Alternatives(tuple(branches))

    def sequence(self, depth: int) -> Node:
        items: list[Node] = []
        while self.next() not in ("", "|", ")"):
            items.append(self.repeated(self.atom(depth)))
        return Sequence(tuple(items))

    def repeated(self, node: Node) -> Node:
        at, sign = self.at, self.next()
        if sign in ("*", "+", "?") and sign:
            self.at += 1
            low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
        elif sign == "{" and (count := _COUNT.match(self.text, at)):
            self.at = count.end()
            low = int(count[1])
            high = (int(count[3]) if count[3] else None) if count[2] else low
            if max(low, high or 0) > 1000:
                self.use("count", at)
        else:
            return node
        if self.next() == "?":
            self.at += 1
        elif self.next() == "+":
            self.at += 1
            self.use("possessive", self.at - 1)
            raise _Unread
        return Repeat(node, low, high, at)

    def atom(self, depth: int) -> Node:
        char = self.next()
        if char == "(":
            return self.group(depth)
        if char == "[":
            return self.set()
        if char == "\\":
            return self.escape()
        if char in "*+?{":
            raise _Unread
        self.at += 1
        if char in "^$":
            return Zero()
        if char == ".":
            return Chars(_inverted(_LINE_ENDS))
        return Chars(((ord(char), ord(char)),))

    def group(self, depth: int) -> Node:
        start = self.at
        kind = next((kind for sign, kind in _GROUPS if self.text.startswith(sign, start)), "captured")
        if kind == "named":
            end = self.text.find(">", start)
            if end < 0 or not self.text[start + 3 : end].isidentifier():
                raise _Unread
            self.at = end + 1
        elif kind == "captured":
            self.at += 1
            if self.next() == "?":
                self.foreign(start)
        else:
            self.at += next(len(sign) for sign, _ in _GROUPS if self.text.startswith(sign, start))
        if kind not in ("plain", "captured"):
            self.use(kind, start)
        inner = self.alternatives(depth + 1)
        if self.next() != ")":
            raise _Unread
        self.at += 1
        return Zero(sure=False) if kind.startswith("look") else inner

    def foreign(self, start: int) -> None:
        """A group that ECMA 262 does not have."""
        end = re.compile(r"\(\?(?:P<\w+>|P=\w+|[imsxU-]+[:)]|>|#|\||&)").match(self.text, start)
        if end:
            self.at = end.end()
            self.use(
                "python-name" if end[0].startswith("(?P") else "inline-flag" if end[0][-1] in ":)" else "group", start
            )
        raise _Unread

    def escape(self) -> Node:
        start = self.at
        self.at += 2
        char = self.text[start + 1 : self.at]
        if char in ("b", "B") and char:
            return Zero()
        if char.isdigit() and char != "0":
            self.use("backreference", start)
            return Zero(sure=False)
        if char == "k":
            end = self.text.find(">", start)
            self.at = end + 1 if end > 0 else self.at
            self.use("backreference", start)
            return Zero(sure=False)
        self.at = start
        return Chars(self.escaped(inside=False))

    def escaped(self, *, inside: bool) -> Ranges:
        """The characters of an escape, inside a set or outside."""
        start = self.at
        self.at += 2
        char = self.text[start + 1 : self.at]
        if char in ("d", "w", "s", "D", "W", "S") and char:
            self.use("shorthand", start)
            plain = {"d": _DIGIT, "w": _WORD, "s": _SPACE}[char.lower()]
            return plain if char.islower() else _inverted(plain)
        if char in _CONTROLS and char:
            return ((_CONTROLS[char], _CONTROLS[char]),)
        if found := _HEX.match(self.text, start + 1):
            self.at = found.end()
            if found[0][0] == "u":
                self.use("code-point" if "{" in found[0] else "unicode-escape", start)
            code = int(found[0].strip("xu{}"), 16)
            return ((code, code),)
        if found := _PROPERTY.match(self.text, start + 1):
            self.at = found.end()
            self.use("script" if found[2] else "long-property" if len(found[1]) > 2 else "property", start)
            return _SURE.get(found[1], ()) if found[0][0] == "p" and not found[2] else ()
        if char == "c":
            self.at += 1
            self.use("control", start)
            return ()
        if not char or char.isalnum():
            self.use("letter-escape", start)
            raise _Unread
        if char not in _SYNTAX and not (inside and char == "-"):
            self.use("identity-escape", start)
        return ((ord(char), ord(char)),)

    def set(self) -> Node:
        start = self.at
        self.at += 1
        negated = self.next() == "^"
        self.at += negated
        found: list[tuple[int, int]] = []
        sure = True
        while self.next() != "]":
            if not self.next():
                raise _Unread
            low = self.member(start)
            sure = sure and bool(low)
            if self.next() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", "") and len(low) == 1:
                self.at += 1
                high = self.member(start)
                if len(high) == 1 and low[0][0] == low[0][1]:
                    low = ((low[0][0], high[0][1]),)
                else:
                    sure = False
            found.extend(low)
        self.at += 1
        ranges = _merged(found)
        return Chars((_inverted(ranges) if sure else ()) if negated else ranges)

    def member(self, start: int) -> Ranges:
        here = self.at
        if self.text.startswith(("[:", "[.", "[="), here):
            end = self.text.find("]", here)
            self.at = end + 1 if end > 0 else here + 2
            self.use("posix", here)
            raise _Unread
        if self.next() == "\\":
            if self.text[here + 1 : here + 2] == "b":
                self.at += 2
                return ((8, 8),)
            return self.escaped(inside=True)
        self.at += 1
        if self.text[here] == "[" or self.text.startswith("&&", here):
            self.use("nested-set", here)
        return ((ord(self.text[here]), ord(self.text[here])),)


def _merged(ranges: list[tuple[int, int]]) -> Ranges:
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def _inverted(ranges: Ranges) -> Ranges:
    found: list[tuple[int, int]] = []
    low = 0
    for start, end in ranges:
        if low < start:
            found.append((low, start - 1))
        low = end + 1
    return (*found, (low, LAST)) if low <= LAST else tuple(found)
