"""Strict JSON parser of messages: every reader gets the same value or the same error.

RFC 8259 in UTF-8, exactly one value, no BOM, no NaN; a repeated key's last value wins; every number keeps its value;
nesting and size are bounded. orjson reads nearly every message. It turns integers beyond 64 bits and numbers of many
digits into the nearest double, and refuses ``1e400`` and an unpaired surrogate, which JSON's grammar admits: such
bodies are parsed again with ``json``. A number is then an integer, a float that returns it exactly, or a Decimal; in
``data`` a number without a fraction that no float returns is an integer.
Source: facts N2, N9, E24; library-facts 6.2.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson

from babelreg.contract.exact_numbers import integer, may_be_inexact, number, with_integers

MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 1024
"""Brackets within brackets. orjson's own bound, so both readers agree."""

_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")


@contextmanager
def deep() -> Iterator[None]:
    """Raise the recursion limit for walks over what :func:`document` returns.

    It may nest deeper than the default limit. A function may take several calls per level of nesting. Beyond the raised
    limit a RecursionError is raised as usual.
    """
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(max(limit, 8 * MAX_DEPTH))
        yield
    finally:
        sys.setrecursionlimit(limit)


class ParseError(Exception):
    """A body that is not a JSON object of the profile. ``reason`` is of kind poison; ``pointer`` is into the body.

    ``offset`` is that of the first wrong byte, where one is known.
    """

    def __init__(self, reason: str, detail: str, pointer: str = "", offset: int | None = None) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.pointer = pointer
        self.offset = offset


def document(body: bytes, max_bytes: int = MAX_BYTES) -> dict[str, Any]:
    """Return the JSON object in ``body``.

    Raises ParseError when it is not an object, or when a number in its ``data`` is beyond a double.
    """
    value = _value(body, max_bytes)
    if type(value) is not dict:
        raise ParseError("root_not_an_object", f"the body is {_named(value)}, not an object")
    return value


def bare(body: bytes, max_bytes: int = MAX_BYTES) -> Any:
    """Return the JSON value in ``body``, read like the ``data`` of a message.

    Raises ParseError when it is not JSON, or when a number in it is beyond a double.
    """
    return _value(body, max_bytes, bare=True)


def _value(body: bytes, max_bytes: int, *, bare: bool = False) -> Any:
    if len(body) > max_bytes:
        raise ParseError("too_large", f"the body has more than {max_bytes} bytes", offset=max_bytes)
    try:
        value = orjson.loads(body)  # every number in it is finite: orjson refuses 1e400
    except orjson.JSONDecodeError:
        return _exact(body, bare)
    return _exact(body, bare) if may_be_inexact(body) else value


def _exact(body: bytes, bare: bool) -> Any:
    """Return the value, parsed by ``json`` as strictly as above."""
    try:
        text = str(body, "utf-8")
    except UnicodeDecodeError as err:
        raise ParseError("invalid_utf8", f"byte {err.start} is not UTF-8", offset=err.start) from None
    depth = _depth(text)
    if depth > MAX_DEPTH:
        raise ParseError("too_deep", f"the body is nested more than {MAX_DEPTH} levels deep")
    value = _loaded(text, depth)
    if bare:
        return with_integers(_finite(value, ""))
    if isinstance(value, dict) and "data" in value:
        value["data"] = with_integers(_finite(value["data"], "/data"))
    return value


def _loaded(text: str, depth: int) -> Any:
    limit = sys.getrecursionlimit()
    try:
        if depth > 100:
            # json recurses in C by the interpreter's limit; the depth is known and bounded
            sys.setrecursionlimit(limit + 2 * MAX_DEPTH)
        return json.loads(text, parse_constant=_refused, parse_int=integer, parse_float=number)
    except json.JSONDecodeError as err:
        where = f"line {err.lineno} column {err.colno} of the message"
        wrong = f"not JSON: {err.msg.removesuffix(' at')}, at {where}"
        raise ParseError("invalid_json", wrong, offset=len(text[: err.pos].encode("utf-8"))) from None
    except RecursionError:
        raise ParseError("too_deep", "the body is nested deeper than the interpreter can read") from None
    finally:
        sys.setrecursionlimit(limit)


def _depth(text: str) -> int:
    """Return how deep the brackets outside strings nest, or a depth beyond the bound. Only meaningful for JSON."""
    depth = deepest = 0
    for match in _BRACKET.finditer(_STRING.sub("", text)):
        if match[0] in "[{":
            depth += 1
            if depth > deepest:
                deepest = depth
                if depth > MAX_DEPTH:
                    break
        else:
            depth -= 1
    return deepest


def _refused(constant: str) -> Any:
    raise ParseError("invalid_json", f"not JSON: {constant} is not a JSON number")


def _finite(value: Any, pointer: str) -> Any:
    """Return ``value``. Raise ParseError if a number in it is beyond a double."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, (int, float)) and not _is_finite(item):
            where = "in data " if pointer else ""
            raise ParseError(
                "number_out_of_range",
                f"a number {where}exceeds the range of a double, or has more than 4,000 digits",
                pointer,
            )
    return value


def _is_finite(value: int | float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _named(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    return "a string" if isinstance(value, str) else "an array"
