"""The subschemas of one mapping that apply to a property of an object, or to an item of an array."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from babelreg.schema.dialects import Dialect
from babelreg.schema.keywords import ADDITIONAL_PROPERTIES
from babelreg.schema.pointer import Pointer


def applied_to_property(
    schema: Mapping[str, Any], name: str, dialect: Dialect, matches: Callable[[str, str], bool] | None
) -> Iterator[tuple[Pointer, Any]]:
    """Yield the subschemas that apply to the property ``name``, with the steps to each.

    They are the declared one and those of the patterns that match; where there is none, those of additional properties.
    ``matches`` takes a pattern and a name. Without it every pattern may match or not: then both those may apply.
    """
    properties, patterns = schema.get("properties"), schema.get("patternProperties")
    named = isinstance(properties, dict) and name in properties
    if isinstance(properties, dict) and named:
        yield ("properties", name), properties[name]
    if isinstance(patterns, dict):
        for pattern, subschema in patterns.items():
            if matches is None or matches(pattern, name):
                named = named or matches is not None
                yield ("patternProperties", pattern), subschema
    if not named:
        for keyword in ADDITIONAL_PROPERTIES:
            if keyword in schema and keyword in dialect.keywords:
                yield (keyword,), schema[keyword]


def item_list(schema: Mapping[str, Any], dialect: Dialect) -> tuple[str, str]:
    """Return the keyword that lists the first items of a tuple, and the keyword for the items after these."""
    if "prefixItems" in dialect.keywords:
        return "prefixItems", "items"
    return ("items", "additionalItems") if isinstance(schema.get("items"), list) else ("", "items")


def applied_to_item(schema: Mapping[str, Any], index: int | None, dialect: Dialect) -> Iterator[tuple[Pointer, Any]]:
    """Yield the subschemas that apply to the item at ``index``, with the steps to each; None for any item.

    ``contains`` comes last: it need not hold for each item.
    """
    listing, rest = item_list(schema, dialect)
    listed = schema.get(listing)
    first = listed if isinstance(listed, list) else []
    if index is None or index < len(first):
        for at in range(len(first)) if index is None else (index,):
            yield (listing, at), first[at]
    if index is None or index >= len(first):
        for keyword in (rest, "unevaluatedItems"):
            if keyword in schema and keyword in dialect.keywords and not isinstance(schema[keyword], list):
                yield (keyword,), schema[keyword]
    if "contains" in schema and "contains" in dialect.keywords:
        yield ("contains",), schema["contains"]
