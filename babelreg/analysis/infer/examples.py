"""Examples of inferred messages: synthesised, or with those values of samples that may be published."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from babelreg.analysis.sketch.value_sketch import Detectors

__all__ = ["ExampleOf", "kept_examples", "synthesised_example"]

ExampleOf = Callable[[Any], Any]
"""Function that returns the simplest document of a schema, or None where it finds none."""

_MAX_EXAMPLES = 3
_MAX_COMPLETE_DEPTH = 12
"""Levels of an example that have every property."""


def synthesised_example(schema: dict[str, Any], example_of: ExampleOf) -> Any:
    """Return an example of an inferred ``schema``: every property, an item in each array, no empty text."""
    complete = _complete(schema, 0)
    if "$defs" in schema:
        complete["$defs"] = {name: _complete(below, 1) for name, below in schema["$defs"].items()}
    return example_of(complete)


def _complete(schema: Any, depth: int) -> Any:
    if not schema:
        return {"type": "null"}  # nothing but null was seen, or nothing at all
    if depth > _MAX_COMPLETE_DEPTH or not isinstance(schema, dict):
        return schema
    complete = dict(schema)
    if "string" in _declared(schema) and not {"format", "enum"} & schema.keys():
        complete["minLength"] = 1
    if "properties" in schema:
        complete["properties"] = {name: _complete(below, depth + 1) for name, below in schema["properties"].items()}
        if "oneOf" not in schema:  # the branches say which properties exclude each other
            complete["required"] = list(schema["properties"])
    if schema.get("items"):
        complete |= {"items": _complete(schema["items"], depth + 1), "minItems": 1}
    return complete


def _declared(schema: dict[str, Any]) -> Sequence[str]:
    types = schema.get("type", ())
    return [types] if isinstance(types, str) else types


def kept_examples(
    samples: Sequence[dict[str, Any]], schema: dict[str, Any], detectors: Detectors, example_of: ExampleOf
) -> list[Any]:
    """Return the first ``samples`` with the values that may be published, and synthesised ones for the others."""
    kept = _KeptValues(detectors, example_of)
    examples: list[Any] = []
    for sample in samples[:_MAX_EXAMPLES]:
        example = kept.of(sample, schema, ())
        if example not in examples:
            examples.append(example)
    return examples


class _KeptValues:
    def __init__(self, detectors: Detectors, example_of: ExampleOf) -> None:
        self._may_keep = detectors.may_keep
        self._example_of = example_of
        self._synthesised: dict[int, Any] = {}

    def of(self, value: Any, schema: Any, names: tuple[str, ...]) -> Any:
        """Return the publishable form of ``value``, which is at ``names``. What no property names is left out."""
        if isinstance(value, dict):
            properties = schema.get("properties", {})
            return {
                name: self.of(below, properties[name], (*names, name))
                for name, below in value.items()
                if name in properties
            }
        if isinstance(value, list):
            return [self.of(item, schema["items"], names) for item in value] if "items" in schema else []
        if isinstance(value, Decimal):  # a file of the registry has floats
            return self._replacement(schema)
        return value if self._may_keep(names, value) else self._replacement(schema)

    def _replacement(self, schema: dict[str, Any]) -> Any:
        if id(schema) not in self._synthesised:
            self._synthesised[id(schema)] = self._example_of(_complete(schema, 0))
        return self._synthesised[id(schema)]
