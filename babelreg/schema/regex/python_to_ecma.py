"""Translation of patterns: Python's reading of a pattern, written for an engine that reads ECMA-262.

The two differ in ``\\d``, ``\\w``, ``\\s`` and ``\\b`` beyond ASCII, and in ``$``, which Python also finds before a
line feed at the end. With the classes written as code points and ``$`` as what it means, a question about schemas as
Python reads them is a question about other schemas as jsonschema-rs reads those. The text is rewritten token by token
and not written from a syntax tree, so that what the parser does not keep (look-arounds, groups) stays as it is.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from babelreg.schema.regex.code_points import CodePoints, complement, named
from babelreg.schema.subschemas import with_subschemas

__all__ = ["Rewritten", "rewritten"]

_ENGINE = "python"
_CLASSES = {"d": "digit", "w": "word", "s": "space"}
_SURROGATES = range(0xD800, 0xE000)
_TOKEN = re.compile(
    r"""(?P<hex>\\x[0-9a-fA-F]{2} | \\u[0-9a-fA-F]{4})
      | \\(?P<class>[dwsDWS])
      | (?P<edge>\\b)
      | (?P<null>\\0)(?![0-9])
      | (?P<same>\\[tnrfvA] | \(\?: | \(\?<?[=!] | \((?!\?))
      | \\(?P<literal>[^0-9A-Za-z])
      | (?P<set>\[\^?\]?)
      | (?P<end>\$)
      | (?P<close>\))
      | (?P<or>\|)
      | (?P<repeat>(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??(?![+*?{]))
      | (?P<other>[^\\(\[*+?{])
    """,
    re.VERBOSE | re.DOTALL,
)
_MEMBER = re.compile(
    r"""\\(?P<class>[dwsDWS])
      | (?P<null>\\0)(?![0-9])
      | (?P<same>\\[tnrfv] | \\x[0-9a-fA-F]{2} | \\u[0-9a-fA-F]{4} | \\[^0-9A-Za-z])
      | (?P<other>(?!\[:|\[\[|--|&&|~~|\|\|)[^\\\]])
    """,
    re.VERBOSE | re.DOTALL,
)


class _OpaqueError(Exception):
    """A pattern that can only be compared with itself: flags, back-references, ``\\B``, set operations."""


@dataclass
class Rewritten:
    """A schema with translated patterns. ``opaque`` are those that could not be translated; they are unchanged.

    ``changed`` is false where both engines read the schema alike.
    """

    schema: Any
    opaque: set[str] = field(default_factory=set)
    changed: bool = False
    dollar: bool = True


def rewritten(schema: Any, *, dollar: bool = True) -> Rewritten:
    """Return ``schema`` with every pattern as Python reads it; ``$`` as the end alone where ``dollar`` is false.

    A pattern that Python refuses has no other reading there and stays as it is.
    """
    result = Rewritten(None, dollar=dollar)
    result.schema = _walked(schema, result)
    return result


def _walked(schema: Any, result: Rewritten) -> Any:
    if not isinstance(schema, dict):
        return schema
    copy = with_subschemas(schema, lambda subschema: _walked(subschema, result))
    if isinstance(copy.get("pattern"), str):
        copy["pattern"] = _translated(copy["pattern"], result)
    if isinstance(copy.get("patternProperties"), dict):
        copy["patternProperties"] = _by_name(copy["patternProperties"], result)
    return copy


def _by_name(named_schemas: dict[str, Any], result: Rewritten) -> dict[str, Any]:
    by_pattern: dict[str, Any] = {}
    for pattern, schema in named_schemas.items():
        written = _translated(pattern, result)
        both = {"allOf": [by_pattern[written], schema]} if written in by_pattern else schema
        by_pattern[written] = both
    return by_pattern


def _translated(pattern: str, result: Rewritten) -> str:
    try:
        written = _written(pattern, result.dollar)
    except _OpaqueError:
        result.opaque.add(pattern)
        return pattern
    result.changed |= written != pattern
    return written


@lru_cache(maxsize=1024)
def _written(pattern: str, dollar: bool) -> str:
    """Return the pattern written out. Raises _OpaqueError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return pattern
    return "".join(_parts(pattern, dollar))


def _parts(pattern: str, dollar: bool) -> Iterator[str]:
    at = depth = 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            raise _OpaqueError
        at = token.end()
        kind = token.lastgroup
        depth += {"close": -1}.get(str(kind), 0) + (kind == "same" and token[0].startswith("("))
        if kind == "set":
            members, at = _members(pattern, at)
            yield token[0] + members
        elif kind == "end" and dollar:
            outermost = depth == 0 and pattern[at : at + 1] in ("", "|")
            yield r"\n?$" if outermost else r"(?=\n?$)"
        else:
            yield _spelled(str(kind), token)


def _spelled(kind: str, token: re.Match[str]) -> str:
    if kind == "class":
        letter = token["class"]
        return f"[{'^' if letter.isupper() else ''}{_ranges(named(_ENGINE, _CLASSES[letter.lower()]))}]"
    if kind == "edge":
        word = _ranges(named(_ENGINE, "word"))
        return f"(?:(?<=[{word}])(?![{word}])|(?<![{word}])(?=[{word}]))"
    if kind == "null":
        return r"\u{0}"
    if kind == "literal":
        return token["literal"] if token["literal"] in "<>" else token[0]
    return token[0]


def _members(pattern: str, at: int) -> tuple[str, int]:
    """Return the inside of a bracket expression with its closing bracket, and where it ends."""
    parts = []
    while not pattern.startswith("]", at):
        member = _MEMBER.match(pattern, at)
        if member is None:
            raise _OpaqueError
        at = member.end()
        if member.lastgroup == "class":
            letter = member["class"]
            points = named(_ENGINE, _CLASSES[letter.lower()])
            parts.append(_ranges(complement(points) if letter.isupper() else points))
        else:
            parts.append(r"\u{0}" if member.lastgroup == "null" else member[0])
    return "".join(parts) + "]", at + 1


def _ranges(points: CodePoints) -> str:
    return "".join(
        rf"\u{{{first:x}}}-\u{{{last:x}}}" if first < last else rf"\u{{{first:x}}}"
        for start, end in points
        for first, last in _without_surrogates(start, end)
    )


def _without_surrogates(first: int, last: int) -> Iterator[tuple[int, int]]:
    if last < _SURROGATES.start or first >= _SURROGATES.stop:
        yield first, last
        return
    if first < _SURROGATES.start:
        yield first, _SURROGATES.start - 1
    if last >= _SURROGATES.stop:
        yield _SURROGATES.stop, last
