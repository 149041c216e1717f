"""Contradictions between subschemas that apply to one value: certain reasons why no value is valid.

Only the keywords of each subschema itself count; callers collect subschemas behind ``$ref``, ``anyOf`` and the like. No
contradiction does not mean satisfiable: most unsatisfiable schemas are not detected.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from babelreg.schema.conjuncts import listed
from babelreg.schema.types import KINDS, declared_kinds, kind_of
from babelreg.schema.values import equality_key, is_number

Schema = Mapping[str, Any]
SIZES = (
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
    ("minContains", "maxContains"),
)


class Contradiction(NamedTuple):
    """Reason (``why``) and fix, at ``keyword`` of the subschema at ``position``."""

    position: int
    keyword: str
    why: str
    fix: str


def contradiction(schemas: Sequence[Schema]) -> Contradiction | None:
    """Return a contradiction between ``schemas``, or None if a value may satisfy them all."""
    result = _types(schemas) or _values(schemas)
    return result or next(_sizes(schemas), None) or _numbers(schemas) or _names(schemas) or _not_everything(schemas)


def never(schema: Any) -> bool:
    """Return True for ``false`` and ``not: {}``, which admit no value."""
    return schema is False or (isinstance(schema, dict) and schema.get("not") in ({}, True) and "not" in schema)


def _types(schemas: Sequence[Schema]) -> Contradiction | None:
    possible, shown = KINDS, ""
    for index, schema in enumerate(schemas):
        if "type" not in schema:
            continue
        own = declared_kinds(schema)
        spelled = " or ".join(map(str, listed(schema, "type"))) or str(schema["type"])
        if own and not possible & own:
            return Contradiction(
                index, "type", f"it must be {shown} and {spelled} at the same time", "keep one of the types"
            )
        possible, shown = possible & own, shown or spelled
    return None


def _values(schemas: Sequence[Schema]) -> Contradiction | None:
    """Return the contradiction that no listed value has an admitted type, or is in all lists."""
    admitted = KINDS
    for schema in schemas:
        admitted &= declared_kinds(schema)
    possible: set[Hashable] | None = None
    for index, schema in enumerate(schemas):
        for keyword, values in (("const", [schema["const"]] if "const" in schema else None), ("enum", _enum(schema))):
            if values is None:
                continue
            fitting = [value for value in values if kind_of(value) in admitted]
            if not fitting:
                what = "no value is listed" if not values else f"{_no_value(keyword, values)} of the declared type"
                return Contradiction(index, keyword, what, "list values of the declared type, or change the type")
            own: set[Hashable] = {equality_key(value) for value in fitting}
            if possible is not None and not possible & own:
                what = "the const is not in the enum" if keyword == "enum" else "the two lists have no value in common"
                return Contradiction(index, keyword, what, "make both contain the same value")
            possible = own if possible is None else possible & own
    return None


def _no_value(keyword: str, values: list[Any]) -> str:
    return "the const is not" if keyword == "const" else "no listed value is" if len(values) > 1 else "its value is not"


def _enum(schema: Schema) -> list[Any] | None:
    return schema["enum"] if isinstance(schema.get("enum"), list) else None


def _sizes(schemas: Sequence[Schema]) -> Iterator[Contradiction]:
    for low, high in SIZES:
        lows = [s[low] for s in schemas if is_number(s.get(low))]
        highs = [(s[high], i) for i, s in enumerate(schemas) if is_number(s.get(high))]
        if lows and highs and max(lows) > min(highs)[0]:
            most, index = min(highs)
            yield Contradiction(index, high, f"{low} {max(lows)} is above {high} {most}", "swap or correct the bounds")


def _numbers(schemas: Sequence[Schema]) -> Contradiction | None:
    lows = [(s[k], k == "exclusiveMinimum", k) for s in schemas for k in ("minimum", "exclusiveMinimum") if _is(s, k)]
    highs = [
        (s[k], k != "exclusiveMaximum", k, i)
        for i, s in enumerate(schemas)
        for k in ("maximum", "exclusiveMaximum")
        if _is(s, k)
    ]
    if not lows or not highs:
        return None
    (least, above, low), (most, reached, high, index) = max(lows), min(highs)
    whole = any(s.get("type") == "integer" for s in schemas) and abs(least) < 2**53 and abs(most) < 2**53
    first = (math.floor(least) + 1 if above else math.ceil(least)) if whole else least
    last = (math.floor(most) if reached else math.ceil(most) - 1) if whole else most
    if first > last or (not whole and least == most and (above or not reached)):
        why = f"no {'integer' if whole else 'number'} is between {low} {least} and {high} {most}"
        return Contradiction(index, high, why, "swap or correct the bounds")
    return None


def _is(schema: Schema, keyword: str) -> bool:
    value = schema.get(keyword)
    # An integer may have more digits than a float can represent.
    return is_number(value) and (not isinstance(value, float) or math.isfinite(value))


def _names(schemas: Sequence[Schema]) -> Contradiction | None:
    """Return the contradiction of a required property that is forbidden."""
    required = {n: i for i, schema in enumerate(schemas) for n in listed(schema, "required") if isinstance(n, str)}
    if not required:
        return None
    for schema in schemas:
        properties = schema.get("properties")
        known: Any = properties if isinstance(properties, dict) else {}
        closed = schema.get("additionalProperties") is False and not schema.get("patternProperties")
        for name, index in required.items():
            if name in known and never(known[name]):
                why = f"'{name}' is required and forbidden"
                fix = f"declare '{name}' below 'properties', or do not require it"
                return Contradiction(index, "required", why, fix)
            if closed and name not in known:
                why = f"'{name}' is required, but additionalProperties: false does not allow it"
                return Contradiction(index, "required", why, f"declare '{name}' beside additionalProperties: false")
    most = min((s["maxProperties"] for s in schemas if is_number(s.get("maxProperties"))), default=None)
    if most is not None and most < len(required):
        index = next(iter(required.values()))
        why = f"{len(required)} properties are required, and maxProperties is {most}"
        return Contradiction(index, "required", why, "raise maxProperties")
    return None


def _not_everything(schemas: Sequence[Schema]) -> Contradiction | None:
    for index, schema in enumerate(schemas):
        if len(schemas) > 1 and never(schema):
            return Contradiction(
                index,
                "not",
                "it must not match a schema that matches everything",
                "remove it, or restrict what is refused",
            )
    return None
