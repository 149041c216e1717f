"""Parser of the regular expressions of ECMA-262: syntax tree, and the constructs that not every engine has.

``\\d``, ``\\w``, ``\\s`` and the dot are what jsonschema-rs makes of them. A set of characters that is known in part
only has too few characters, never too many, and is marked as not exact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from babelreg.schema.regex.code_points import CodePoints, complement, named, union

MOST_CHARACTERS = 2000
MOST_DEPTH = 40
LAST = 0x10FFFF

_ENGINE = "jsonschema-rs"


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a set. ``exact`` is False where the set may have more, or engines differ about it."""

    ranges: CodePoints
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Zero:
    """An assertion, which takes no character: an anchor or a look-around. ``sign`` is ``^`` or ``$`` for one of these.

    ``sure`` is False where it may take characters after all (``\\1``).
    """

    sure: bool = True
    sign: str = ""


@dataclass(frozen=True, slots=True)
class Sequence:
    """Nodes that match one after the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Branches, one of which matches."""

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
    """A parsed pattern. ``node`` is None where it could not be read to its end; ``uses`` are the constructs before."""

    node: Node | None
    uses: tuple[Construct, ...]


@lru_cache(maxsize=4096)
def parse(pattern: str, most_characters: int = MOST_CHARACTERS) -> Regex:
    """Return the syntax tree of ``pattern``. Never raises; the work grows with the length of the pattern alone."""
    if len(pattern) > most_characters:
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
    """The pattern continues with something that this parser does not know."""


_CLASSES = {"d": "digit", "w": "word", "s": "space"}
_CONTROLS = {"n": 10, "r": 13, "t": 9, "f": 12, "v": 11, "0": 0}
_COUNT = re.compile(r"\{(\d{1,9})(,(\d{0,9}))?\}", re.ASCII)
_HEX = re.compile(r"x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\}")
_PROPERTY = re.compile(r"[pP]\{([A-Za-z_]+)(=[A-Za-z0-9_]+)?\}")
_SYNTAX = "^$\\.*+?()[]{}|/"
# The letters and digits that all engines agree on.
_SURE: dict[str, CodePoints] = {
    **dict.fromkeys(("L", "Letter", "Alphabetic"), ((65, 90), (97, 122))),
    **dict.fromkeys(("Lu", "Uppercase_Letter", "Uppercase"), ((65, 90),)),
    **dict.fromkeys(("Ll", "Lowercase_Letter", "Lowercase"), ((97, 122),)),
    **dict.fromkeys(("N", "Nd", "Number", "Decimal_Number"), ((48, 57),)),
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
            return Zero(sign=char)
        if char == ".":
            return Chars(complement(named(_ENGINE, "line_end")))
        return Chars(((ord(char), ord(char)),), exact=char not in "]}")

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
        """Record a group that ECMA-262 does not have. Raises _Unread."""
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
        return self.escaped(inside=False)

    def escaped(self, *, inside: bool) -> Chars:
        """Return the characters of an escape, inside a set or outside."""
        start = self.at
        self.at += 2
        char = self.text[start + 1 : self.at]
        if char in ("d", "w", "s", "D", "W", "S") and char:
            self.use("shorthand", start)
            points = named(_ENGINE, _CLASSES[char.lower()])
            return Chars(points if char.islower() else complement(points))
        if char in _CONTROLS and char:
            octal = char == "0" and self.next().isdigit()
            return Chars(((_CONTROLS[char], _CONTROLS[char]),), exact=not octal)
        if found := _HEX.match(self.text, start + 1):
            self.at = found.end()
            if found[0][0] == "u":
                self.use("code-point" if "{" in found[0] else "unicode-escape", start)
            code = int(found[0].strip("xu{}"), 16)
            return Chars(((code, code),), exact=code <= LAST and not 0xD800 <= code <= 0xDFFF)
        if found := _PROPERTY.match(self.text, start + 1):
            self.at = found.end()
            self.use("script" if found[2] else "long-property" if len(found[1]) > 2 else "property", start)
            points = _SURE.get(found[1], ()) if found[0][0] == "p" and not found[2] else ()
            return Chars(points, exact=False)
        if char == "c":
            self.at += 1
            self.use("control", start)
            return Chars((), exact=False)
        if not char or char.isalnum():
            self.use("letter-escape", start)
            raise _Unread
        if char not in _SYNTAX and not (inside and char == "-"):
            self.use("identity-escape", start)
        # jsonschema-rs takes \\< and \\> for the edges of a word
        return Chars(((ord(char), ord(char)),), exact=char.isascii() and char not in "<>")

    def set(self) -> Node:
        self.at += 1
        negated = self.next() == "^"
        self.at += negated
        members: list[CodePoints] = []
        exact = self.next() != "]"
        while self.next() != "]":
            if not self.next():
                raise _Unread
            low = self.member()
            exact = exact and low.exact
            points = low.ranges
            if self.next() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", "") and len(points) == 1:
                self.at += 1
                high = self.member()
                spans = _is_single(low) and _is_single(high) and points <= high.ranges
                exact = exact and high.exact and spans
                if spans:
                    points = ((points[0][0], high.ranges[0][1]),)
            members.append(points)
        self.at += 1
        ranges = union(members)
        return Chars(() if negated and not exact else complement(ranges) if negated else ranges, exact)

    def member(self) -> Chars:
        start = self.at
        if self.text.startswith(("[:", "[.", "[="), start):
            end = self.text.find("]", start)
            self.at = end + 1 if end > 0 else start + 2
            self.use("posix", start)
            raise _Unread
        if self.next() == "\\":
            if self.text[start + 1 : start + 2] == "b":
                self.at += 2
                return Chars(((8, 8),), exact=False)
            return self.escaped(inside=True)
        self.at += 1
        char = self.text[start]
        operation = char in "&~|-" and self.next() == char  # of sets, in some engines
        if char == "[" or (char == "&" and operation):
            self.use("nested-set", start)
        return Chars(((ord(char), ord(char)),), exact=char != "[" and not operation)


def _is_single(chars: Chars) -> bool:
    return len(chars.ranges) == 1 and chars.ranges[0][0] == chars.ranges[0][1]
