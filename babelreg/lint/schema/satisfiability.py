"""Why no value at all satisfies some subschemas together, where that is certain.

Each subschema is looked at as it stands; what it says by ``$ref``, ``anyOf`` and the like is left to whoever gathers
them. Silence means nothing: most schemas that cannot be satisfied are not found out here.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from babelreg.schema.conjuncts import listed
from babelreg.schema.types import KINDS, declared_kinds, kind_of
from babelreg.schema.values import equality_key, is_number

__all__ = ["SIZES", "Contradiction", "contradiction", "never"]

Schema = Mapping[str, Any]
SIZES = (
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
    ("minContains", "maxContains"),
)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """``why`` nothing is valid, at ``keyword`` of the subschema ``index``, and how to mend it."""

    index: int
    keyword: str
    why: str
    fix: str


def contradiction(schemas: Sequence[Schema]) -> Contradiction | None:
    """Why nothing satisfies all of ``schemas``; None where something may."""
    found = _types(schemas) or _values(schemas)
    return found or next(_sizes(schemas), None) or _numbers(schemas) or _names(schemas) or _refused(schemas)


def never(schema: Any) -> bool:
    """True for a schema that says outright that it admits nothing."""
    return schema is False or (isinstance(schema, dict) and schema.get("not") in ({}, True) and "not" in schema)


def _types(schemas: Sequence[Schema]) -> Contradiction | None:
    left, said = KINDS, ""
    for index, schema in enumerate(schemas):
        if "type" not in schema:
            continue
        own = declared_kinds(schema)
        spelled = " or ".join(map(str, listed(schema, "type"))) or str(schema["type"])
        if own and not left & own:
            return Contradiction(index, "type", f"it must be {said} and {spelled} at once", "keep one of the types")
        left, said = left & own, said or spelled
    return None


def _values(schemas: Sequence[Schema]) -> Contradiction | None:
    """No listed value is of a type that is left, or in every other list."""
    left = KINDS
    for schema in schemas:
        left &= declared_kinds(schema)
    possible: set[Hashable] | None = None
    for index, schema in enumerate(schemas):
        for keyword, values in (("const", [schema["const"]] if "const" in schema else None), ("enum", _enum(schema))):
            if values is None:
                continue
            fitting = [value for value in values if kind_of(value) in left]
            if not fitting:
                what = "no value is listed" if not values else f"{_one(keyword, values)} of the declared type"
                return Contradiction(index, keyword, what, "list values of the declared type, or change the type")
            own: set[Hashable] = {equality_key(value) for value in fitting}
            if possible is not None and not possible & own:
                what = "the const is not in the enum" if keyword == "enum" else "two lists share no value"
                return Contradiction(index, keyword, what, "let both name the same value")
            possible = own if possible is None else possible & own
    return None


def _one(keyword: str, values: list[Any]) -> str:
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
    # An integer may have more digits than a float has room for.
    return is_number(value) and (not isinstance(value, float) or math.isfinite(value))


def _names(schemas: Sequence[Schema]) -> Contradiction | None:
    """A required property that a closed object does not have, or that must not be there."""
    required = {n: i for i, schema in enumerate(schemas) for n in listed(schema, "required") if isinstance(n, str)}
    if not required:
        return None
    for schema in schemas:
        properties = schema.get("properties")
        known: Any = properties if isinstance(properties, dict) else {}
        closed = schema.get("additionalProperties") is False and not schema.get("patternProperties")
        for name, where in required.items():
            if name in known and never(known[name]):
                why = f"'{name}' is required and must not be there"
                fix = f"let 'properties' describe '{name}', or do not require it"
                return Contradiction(where, "required", why, fix)
            if closed and name not in known:
                why = f"'{name}' is required, and additionalProperties: false admits no such property"
                return Contradiction(where, "required", why, f"declare '{name}' where the object is closed")
    most = min((s["maxProperties"] for s in schemas if is_number(s.get("maxProperties"))), default=None)
    if most is not None and most < len(required):
        index = next(iter(required.values()))
        why = f"{len(required)} properties are required, and maxProperties is {most}"
        return Contradiction(index, "required", why, "raise maxProperties")
    return None


def _refused(schemas: Sequence[Schema]) -> Contradiction | None:
    for index, schema in enumerate(schemas):
        if len(schemas) > 1 and never(schema):
            return Contradiction(index, "not", "it must not be what everything is", "remove it, or say what is refused")
    return None
