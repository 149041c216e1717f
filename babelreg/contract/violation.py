"""Violations of a schema: a reason code, a pointer and a sentence, none of which holds a value of the data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from babelreg.schema import pointer as pointers
from babelreg.schema.validation_cost import BoundedValidator, TooComplexError

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

_LONGEST = 200
_MOST = 50

# by the name of jsonschema-rs's error kind, which is the keyword
_REASONS = {
    "additionalItems": ("item_not_allowed", "has items that are not declared"),
    "additionalProperties": ("additional_not_allowed", "has properties that are not declared"),
    "anyOf": ("no_alternative", "matches none of the alternatives"),
    "const": ("wrong_const", "is not the constant"),
    "contains": ("missing_item", "has no item that matches contains, or too many of them"),
    "contentEncoding": ("wrong_encoding", "does not have its encoding"),
    "contentMediaType": ("wrong_encoding", "does not have its media type"),
    "enum": ("not_in_enum", "is not one of the values listed"),
    "exclusiveMaximum": ("above_maximum", "is not below its limit"),
    "exclusiveMinimum": ("below_minimum", "is not above its limit"),
    "falseSchema": ("not_allowed", "is not allowed"),
    "format": ("wrong_format", "does not have its format"),
    "maxItems": ("too_many_items", "has too many items"),
    "maximum": ("above_maximum", "is above its maximum"),
    "maxLength": ("above_max_length", "is too long"),
    "maxProperties": ("too_many_properties", "has too many properties"),
    "minItems": ("too_few_items", "has too few items"),
    "minimum": ("below_minimum", "is below its minimum"),
    "minLength": ("below_min_length", "is too short"),
    "minProperties": ("too_few_properties", "has too few properties"),
    "multipleOf": ("not_a_multiple", "is not a multiple of its step"),
    "not": ("excluded", "matches the schema under not"),
    "oneOf": ("no_alternative", "matches none of the alternatives"),
    "pattern": ("wrong_pattern", "does not match its pattern"),
    "propertyNames": ("wrong_property_name", "has a property name that is not allowed"),
    "required": ("missing_required", "lacks a required property"),
    "type": ("wrong_type", "does not have its type"),
    "unevaluatedItems": ("item_not_allowed", "has items that are not declared"),
    "unevaluatedProperties": ("additional_not_allowed", "has properties that are not declared"),
    "uniqueItems": ("not_unique", "has equal items"),
}
_TYPES = {
    "array": ("not_an_array", "an array"),
    "boolean": ("not_a_boolean", "a boolean"),
    "integer": ("not_an_integer", "an integer"),
    "null": ("not_null", "null"),
    "number": ("not_a_number", "a number"),
    "object": ("not_an_object", "an object"),
    "string": ("not_a_string", "a string"),
}


class Violation(NamedTuple):
    """One violation. ``pointer`` is RFC 6901, into the data."""

    reason: str
    pointer: str
    detail: str


def violations(validator: Validator | BoundedValidator, data: Any) -> Iterator[Violation]:
    """Yield the reasons why ``validator`` refuses ``data``, the first few dozen; nothing for valid data."""
    try:
        for _, error in zip(range(_MOST), validator.iter_errors(data), strict=False):
            yield _violation(error, data)
    except TooComplexError as err:
        yield Violation("too_complex", "", f"the data cannot be checked in bounded time: {err}")
    except (ValueError, TypeError, RecursionError):
        # what the validator cannot read at all: no JSON type, a number beyond its arithmetic
        yield Violation("not_checkable", "", "the data cannot be checked: it is not JSON, or has too large a number")


def _violation(error: ValidationError, data: Any) -> Violation:
    pointer = pointers.text(pointers.located(data, error))
    where = _bounded(pointer) or "data"
    keyword = error.kind.name
    details = error.kind.as_dict()
    if keyword == "type":
        return Violation(*_type(details.get("types", []), pointer, where))
    if keyword == "oneOf" and type(error.kind).__name__.endswith("MultipleValid"):
        return Violation("several_alternatives", pointer, f"{where} matches more than one of the alternatives")
    if keyword == "required":
        return Violation(
            "missing_required", pointer, f"{where} lacks the property '{_bounded(str(details['property']))}'"
        )
    reason, text = _REASONS.get(keyword, ("not_checkable", f"does not satisfy '{_bounded(keyword)}'"))
    return Violation(reason, pointer, f"{where} {text}{_more(keyword, details)}")


def _type(types: list[str], pointer: str, where: str) -> tuple[str, str, str]:
    if len(types) == 1 and types[0] in _TYPES:
        reason, name = _TYPES[types[0]]
        return reason, pointer, f"{where} is not {name}"
    names = " or ".join(_TYPES[name][1] if name in _TYPES else name for name in types)
    return "wrong_type", pointer, f"{where} is not {names}"


def _more(keyword: str, details: dict[str, Any]) -> str:
    """Return what the schema demands, in brackets; for undeclared properties their names, which are not values."""
    if "limit" in details:
        return f" ({keyword}: {_bounded(str(details['limit']))})"
    if details.get("keyword") == keyword:  # one of schema.exact_bounds
        return f" ({_bounded(details['message'])})"
    for key in ("format", "pattern", "multiple_of", "content_encoding", "content_media_type"):
        if key in details:
            return f" ({_bounded(str(details[key]))})"
    if "unexpected" in details:
        names = ", ".join(f"'{name}'" if isinstance(name, str) else str(name) for name in details["unexpected"][:5])
        return f" ({_bounded(names)})"
    if keyword == "enum":
        return f" ({_bounded(', '.join(map(repr, details.get('options', [])[:10])))})"
    return ""


def _bounded(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
