"""JSON as wire formats write it: compact UTF-8, characters unescaped, as deep as the parser reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.contract.exact_numbers import dumps
from babelreg.contract.parse import ParseError, deep
from babelreg.wire.format import Code, Diagnostic, WireError

JSON_CODES: Mapping[str, Code] = {
    "invalid_json": Code("the message is not exactly one JSON value"),
    "invalid_utf8": Code("the message is not UTF-8"),
    "root_not_an_object": Code("the message is JSON, but not an object"),
    "too_large": Code("the message exceeds the size limit"),
    "too_deep": Code("the message exceeds the nesting limit"),
    "number_out_of_range": Code("a number exceeds the range of a double"),
    "not_an_int64": Code("an integer does not fit into 64 bits, as an envelope requires"),
    "not_json": Code("a value cannot be written as JSON: NaN, Infinity, an unpaired surrogate"),
}
"""Codes of a format whose messages are JSON objects and nothing else."""


def json_bytes(document: dict[str, Any]) -> bytes:
    """Return the document as JSON.

    Raises WireError for a value without a form in JSON: NaN, Infinity, an unpaired surrogate, a type of Python's own.
    """
    try:
        try:
            return dumps(document).encode("utf-8")
        except RecursionError:
            with deep():
                return dumps(document).encode("utf-8")
    except (TypeError, ValueError, RecursionError):
        raise WireError("not_json", "the message cannot be written as JSON") from None


def unwritable(document: dict[str, Any]) -> list[Diagnostic]:
    """Return the last defect that a writer looks for: a value without a form in JSON, such as an unpaired surrogate."""
    try:
        json_bytes(document)
    except WireError as err:
        return [err.diagnostic()]
    return []


def wire_error(err: ParseError) -> WireError:
    """Return the parser's refusal as an error of a wire format."""
    return WireError(err.reason, err.detail, offset=err.offset or 0, pointer=err.pointer)
