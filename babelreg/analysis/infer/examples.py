"""Examples of inferred messages: synthesised, or with those values of samples that may be published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from babelreg.analysis.sketch.text_detection import Detectors

_MAX_EXAMPLES = 3
_MAX_COMPLETE_DEPTH = 12
"""Levels of an example that have more than what is required."""

_DEFINITIONS = "#/$defs/"
_TEXTS = {
    "date-time": "2024-02-29T12:00:00Z",
    "date": "2024-02-29",
    "uuid": "0b54f1a6-6a0e-4d0f-9d4c-7d0c2f7a4e11",
    "email": "ada@example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
}
_PLAIN: Mapping[str, Any] = {"integer": 0, "number": 0, "boolean": False, "null": None}


def synthesised_example(schema: dict[str, Any], definitions: Mapping[str, Any] | None = None) -> Any:
    """Return an example of an inferred ``schema``: every property, an item in each array, no empty text.

    Of a tagged union it has one branch. ``definitions`` are the schemas of the fragments by name.
    """
    return _example(schema, definitions or {}, 0)


def _example(schema: Any, definitions: Mapping[str, Any], depth: int) -> Any:
    if not schema:
        return None  # nothing but null was seen, or nothing at all
    if "$ref" in schema:
        return _example(definitions[schema["$ref"].removeprefix(_DEFINITIONS)], definitions, depth)
    if "anyOf" in schema:
        return _example(schema["anyOf"][0], definitions, depth)
    if "enum" in schema:
        return schema["enum"][0]
    name = next(iter(_declared(schema)))
    if name == "object":
        return _object(schema, definitions, depth)
    if name == "array":
        return [] if depth > _MAX_COMPLETE_DEPTH else [_example(schema.get("items"), definitions, depth + 1)]
    return _TEXTS.get(schema.get("format", ""), "a") if name == "string" else _PLAIN[name]


def _object(schema: dict[str, Any], definitions: Mapping[str, Any], depth: int) -> dict[str, Any]:
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    branch = next(iter(schema.get("oneOf", ())), None)
    if branch is not None:
        names = {*required, *branch["required"]}
    elif depth > _MAX_COMPLETE_DEPTH:
        names = set(required)
    else:
        names = set(properties)
    example = {name: _example(below, definitions, depth + 1) for name, below in properties.items() if name in names}
    if branch is not None:
        example |= {name: below["const"] for name, below in branch["properties"].items()}
    return example


def _declared(schema: dict[str, Any]) -> Sequence[str]:
    types = schema["type"]
    return [types] if isinstance(types, str) else types


def kept_examples(samples: Sequence[dict[str, Any]], schema: dict[str, Any], detectors: Detectors) -> list[Any]:
    """Return the first ``samples`` with the values that may be published, and synthesised ones for the others."""
    examples: list[Any] = []
    for sample in samples[:_MAX_EXAMPLES]:
        example = _kept(sample, schema, (), detectors)
        if example not in examples:
            examples.append(example)
    return examples


def _kept(value: Any, schema: Any, names: tuple[str, ...], detectors: Detectors) -> Any:
    """Return the publishable form of ``value``, which is at ``names``. What no property names is left out."""
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return {
            name: _kept(below, properties[name], (*names, name), detectors)
            for name, below in value.items()
            if name in properties
        }
    if isinstance(value, list):
        return [_kept(item, schema["items"], names, detectors) for item in value] if "items" in schema else []
    # A file of the registry has floats.
    if not isinstance(value, Decimal) and detectors.may_keep(names, value):
        return value
    return _example({key: item for key, item in schema.items() if key != "enum"}, {}, 0)
