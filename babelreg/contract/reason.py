"""Reason codes of refused messages: a closed table.

Codes that exist upstream are used verbatim; the others are ours, where upstream has none. ``dead_letter.reason``
stays failed | unknown_urn | poison; these finer codes open ``dead_letter.error``.
Source: facts 1.3, "Exact reason codes that exist upstream".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Reason:
    """Meaning of a code. ``kind``: poison | envelope | unknown_urn | data | send. ``upstream`` has it, too."""

    kind: str
    meaning: str
    upstream: bool = False


def _poison(meaning: str, *, upstream: bool = False) -> Reason:
    return Reason("poison", meaning, upstream)


def _data(meaning: str, *, upstream: bool = False) -> Reason:
    return Reason("data", meaning, upstream)


REASONS: Mapping[str, Reason] = MappingProxyType(
    {
        # no envelope at all: never handed to a handler, never retried
        "too_large": _poison("the body exceeds the size limit"),
        "invalid_utf8": _poison("the body is not UTF-8"),
        "invalid_json": _poison("the body is not exactly one JSON value"),
        "too_deep": _poison("the body exceeds the nesting limit"),
        "root_not_an_object": _poison("the body is JSON, but not an object"),
        "wrong_member_type": _poison("a member of the envelope has the wrong JSON type"),
        "not_an_int64": _poison("an integer of the envelope is not an integer literal of 64 bits"),
        "number_out_of_range": _poison("a number in data exceeds the range of a double, or has more than 4,000 digits"),
        "missing_urn": _poison("neither job nor urn is a non-blank string", upstream=True),
        # an envelope that a reader must not handle
        "missing_meta": Reason("envelope", "meta is absent or null", True),
        "unsupported_schema_version": Reason("envelope", "meta.schema_version is not 1", True),
        "invalid_data": Reason("envelope", "data is absent or null", True),
        "missing_trace_id": Reason("envelope", "trace_id is absent, null or blank", True),
        "invalid_attempts": Reason("envelope", "attempts is absent, null or negative", True),
        "unknown_urn": Reason("unknown_urn", "the registry does not declare the message", True),
        # data that its schema does not admit
        "wrong_const": _data("a value is not the declared constant", upstream=True),
        "not_in_enum": _data("a value is not one of the listed values", upstream=True),
        "not_a_string": _data("a value is not a string", upstream=True),
        "below_min_length": _data("a string has too few characters (code points)", upstream=True),
        "not_an_integer": _data("a value is not an integer", upstream=True),
        "below_minimum": _data("a number is less than its minimum", upstream=True),
        "not_a_number": _data("a value is not a number", upstream=True),
        "not_a_boolean": _data("a value is neither true nor false", upstream=True),
        "not_null": _data("a value is not null", upstream=True),
        "not_an_object": _data("a value is not an object", upstream=True),
        "missing_required": _data("a required property is absent", upstream=True),
        "additional_not_allowed": _data("a property is not declared", upstream=True),
        "not_an_array": _data("a value is not an array", upstream=True),
        "wrong_type": _data("a value has none of the allowed types", upstream=True),
        "above_maximum": _data("a number is greater than its maximum"),
        "above_max_length": _data("a string has too many characters (code points)"),
        "not_a_multiple": _data("a number is not a multiple of its step"),
        "wrong_pattern": _data("a string does not match its pattern"),
        "wrong_format": _data("a string does not have the declared format"),
        "wrong_encoding": _data("a string does not have its contentEncoding or contentMediaType"),
        "too_few_items": _data("an array has too few items"),
        "too_many_items": _data("an array has too many items"),
        "not_unique": _data("two items of an array are equal"),
        "item_not_allowed": _data("an array has an undeclared item"),
        "missing_item": _data("an array has no item that matches contains, or too many of them"),
        "too_few_properties": _data("an object has too few properties"),
        "too_many_properties": _data("an object has too many properties"),
        "wrong_property_name": _data("a property has a name that is not allowed"),
        "no_alternative": _data("a value matches none of the alternatives"),
        "several_alternatives": _data("a value matches more than one of the alternatives that exclude each other"),
        "excluded": _data("a value matches the schema under not"),
        "not_allowed": _data("no value is allowed here"),
        "too_complex": _data(
            "the value cannot be checked: the number of checks multiplies with each level of the schema"
        ),
        "not_checkable": _data("the value exceeds the limits of the validator"),
        # an envelope that a producer must not send
        "forbidden_key": Reason("send", "a key of early drafts, which envelopes no longer have"),
        "reserved_key": Reason("send", "an extension of meta has the name of a core key"),
        "repeated_key": Reason("send", "an extension of meta is given twice"),
        "not_a_uuid": Reason("send", "an id is not a UUID", True),
        "empty_string": Reason("send", "a string that must identify something is empty", True),
        "same_id": Reason("send", "meta.id is equal to trace_id"),
        "integer_beyond_double": Reason("send", "a consumer in Node would round an integer beyond 2**53 - 1"),
        "not_json": Reason(
            "send", "a value cannot be written as JSON: NaN, Infinity, an unpaired surrogate, a non-JSON type"
        ),
    }
)


def kind(reason: str) -> str:
    """Return the kind of a reason: poison | envelope | unknown_urn | data | send."""
    return REASONS[reason].kind
