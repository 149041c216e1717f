"""Candidate strings: lengths at the bounds, texts that match a pattern, texts that look like a format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

from babelreg.breaking.containment.search.node import Nodes
from babelreg.schema.values import is_number

__all__ = ["matching", "strings"]

_LONGEST = 20_000
_PLAIN = ("", "a", "x", " ", "0", "A", "é", "-", "zz", "a b", "1.5", "a" * 64, "ab1", "_", "/", "a@b", "Aa0-")
_FORMATS = {
    "date-time": ("2024-02-29T12:00:00Z", "2024-01-01T00:00:00+02:00"),
    "date": ("2024-02-29",),
    "time": ("12:00:00Z",),
    "duration": ("P1D", "PT1H"),
    "email": ("a@b.co",),
    "idn-email": ("a@b.co",),
    "hostname": ("a.co",),
    "idn-hostname": ("a.co",),
    "ipv4": ("127.0.0.1",),
    "ipv6": ("::1",),
    "uri": ("http://a.co/b", "urn:a:b"),
    "uri-reference": ("/a", "http://a.co"),
    "iri": ("http://a.co/b",),
    "iri-reference": ("/a",),
    "uri-template": ("/a/{b}",),
    "json-pointer": ("/a",),
    "relative-json-pointer": ("0",),
    "regex": ("^a$",),
    "uuid": ("123e4567-e89b-12d3-a456-426614174000",),
}


def strings(alternative: Nodes, hints: Nodes) -> Iterator[str]:
    """Texts for a string that ``alternative`` describes and ``hints`` may refuse."""
    least, most = _lengths(alternative)
    patterns = _texts(alternative, "pattern")
    for name in _texts(alternative, "format"):
        yield from _FORMATS.get(name, ())
    for pattern in patterns:
        yield from (fitted for sample in matching(pattern) for fitted in _fitted(sample, least, most))
    yield from _at_bounds(least, most, hints)
    for name in _texts(hints, "format"):
        yield from _FORMATS.get(name, ())
    for pattern in _texts(hints, "pattern"):
        yield from (fitted for sample in matching(pattern) for fitted in _fitted(sample, least, most))
    for text in _PLAIN:
        yield from _fitted(text, least, most)


def _at_bounds(least: int, most: int | None, hints: Nodes) -> Iterator[str]:
    lengths = [least]
    for hint in hints:
        for keyword, beside in (("minLength", -1), ("maxLength", 1), ("minLength", 0), ("maxLength", 0)):
            bound = _count(hint.schema.get(keyword))
            if bound is not None:
                lengths.append(bound + beside)
    lengths += [least + 1, most if most is not None else least + 3]
    for length in dict.fromkeys(lengths):
        if least <= length <= min(most if most is not None else _LONGEST, _LONGEST):
            yield "a" * length


def _lengths(alternative: Nodes) -> tuple[int, int | None]:
    lows = [_count(node.schema.get("minLength")) or 0 for node in alternative]
    highs = [high for node in alternative if (high := _count(node.schema.get("maxLength"))) is not None]
    return min(max(lows, default=0), _LONGEST), min(highs, default=None)


def _count(value: Any) -> int | None:
    if not is_number(value) or value < 0 or value > 1e9:
        return None
    return int(value)


def _fitted(text: str, least: int, most: int | None) -> Iterator[str]:
    if len(text) < least:
        filler = text[-1] if text else "a"
        yield text + filler * (least - len(text))
    elif most is None or len(text) <= most:
        yield text
    else:
        yield text[:most]


def _texts(nodes: Nodes, keyword: str) -> list[str]:
    return list(dict.fromkeys(v for node in nodes if isinstance(v := node.schema.get(keyword), str)))


@lru_cache(maxsize=2048)
def matching(pattern: str) -> tuple[str, ...]:
    """A few texts that ``pattern`` probably matches; empty where Python cannot read it. No text is matched here."""
    try:
        from re import _parser  # type: ignore[attr-defined]

        parsed = _parser.parse(pattern)
    except (re.error, RecursionError, OverflowError, ImportError):
        return ()
    found: dict[str, None] = {}
    for choice in range(6):
        try:
            text = "".join(islice(_written(parsed, choice, 0), _LONGEST + 1))
        except (RecursionError, ValueError):
            continue
        if len(text) <= _LONGEST:
            found[text] = None
    return tuple(found)


def _written(parsed: Any, choice: int, depth: int) -> Iterator[str]:
    for operator, argument in parsed:
        yield from _piece(str(operator), argument, choice, depth)


def _piece(operator: str, argument: Any, choice: int, depth: int) -> Iterator[str]:
    if operator == "LITERAL":
        yield chr(argument)
    elif operator == "NOT_LITERAL":
        yield "b" if argument == ord("a") else "a"
    elif operator == "ANY":
        yield "a0 "[choice % 3]
    elif operator == "IN":
        yield _of_class(argument, choice)
    elif operator == "BRANCH":
        yield from _written(argument[1][choice % len(argument[1])], choice, depth + 1)
    elif operator == "SUBPATTERN":
        yield from _written(argument[3], choice, depth + 1)
    elif operator == "ATOMIC_GROUP":
        yield from _written(argument, choice, depth + 1)
    elif operator in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        yield from _repeated(argument, choice, depth)


def _repeated(argument: Any, choice: int, depth: int) -> Iterator[str]:
    low, high, part = argument
    times = (low, low + 1, low, low + 2, int(high) if int(high) < 300 else low + 3, low)[choice]
    if min(times, int(high)) > _LONGEST:
        raise ValueError("too long")
    for _ in range(min(times, int(high))):
        yield from _written(part, choice, depth + 1)


_CLASSES = {
    "CATEGORY_DIGIT": "019",
    "CATEGORY_NOT_DIGIT": "a ",
    "CATEGORY_SPACE": " \t",
    "CATEGORY_NOT_SPACE": "a0",
    "CATEGORY_WORD": "a0_",
    "CATEGORY_NOT_WORD": " -",
}


def _of_class(items: Any, choice: int) -> str:
    negated = bool(items) and str(items[0][0]) == "NEGATE"
    members: list[str] = []
    for operator, argument in items:
        name = str(operator)
        if name == "LITERAL":
            members.append(chr(argument))
        elif name == "RANGE":
            members += [chr(argument[0]), chr(argument[1])]
        elif name == "CATEGORY":
            members += _CLASSES.get(str(argument), "a")
    if not negated:
        return members[choice % len(members)] if members else "a"
    ranges = [argument for operator, argument in items if str(operator) == "RANGE"]
    outside = [c for c in "a0 A-_zé~" if c not in members and not any(lo <= ord(c) <= hi for lo, hi in ranges)]
    return outside[choice % len(outside)] if outside else "\u2603"
