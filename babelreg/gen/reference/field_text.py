"""A field in words: its meaning, the constraints on its values, its mark of personal data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from babelreg.gen.reference.text_style import TextStyle
from babelreg.schema.conjuncts import Conjunct, choices, listed
from babelreg.schema.values import is_number

_MAX_VALUES = 12
_BOUNDS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} properties",
    "maxProperties": "at most {} properties",
}


class FieldText:
    """Sentences about the declarations of one field, in one style of text."""

    def __init__(self, style: TextStyle) -> None:
        self.inline = style.inline
        self._code = style.code
        self._strong = style.strong

    def meaning(self, nodes: list[Conjunct]) -> str:
        """Return the first description of the field."""
        described = next((text for n in nodes if isinstance(text := _get(n, "description"), str) and text.strip()), "")
        old = f"{self._strong('Deprecated.')} " if any(_get(n, "deprecated") is True for n in nodes) else ""
        return (old + self.inline(described)).strip()

    def personal(self, nodes: list[Conjunct]) -> str:
        """Return the category of personal data, ``yes`` where none is stated, "" for a field without a mark."""
        for node in nodes:
            marked = _get(node, "x-gdpr-sensitive")
            if marked is True:
                return "yes"
            if isinstance(marked, str) and marked:
                return self.inline(marked)
        return ""

    def values(self, conjuncts: list[Conjunct]) -> Iterator[str]:
        """Yield the constraints on the values of a field, besides its type."""
        for node in conjuncts:
            schema = node.schema
            if not isinstance(schema, dict):
                continue
            if "const" in schema:
                yield f"always {self._shown(schema['const'])}"
            if listed(schema, "enum"):
                yield self._one_of(schema)
            alternatives = [branch for group in choices(node) for branch in group]
            yield from self.values(
                [Conjunct({"enum": _get(n, "enum")}, n.pointer) for n in alternatives if _get(n, "enum")]
            )
            if isinstance(schema.get("x-unit"), str):
                yield f"unit {self.inline(schema['x-unit'])}"
            yield from _lengths(schema)
            yield from _bounds(schema)
            if isinstance(schema.get("pattern"), str):
                yield f"matches {self._code(schema['pattern'])}"
            if schema.get("uniqueItems") is True:
                yield "all different"
            if isinstance(schema.get("contentEncoding"), str):
                kind = schema.get("contentMediaType")
                what = f" of {self.inline(kind)}" if isinstance(kind, str) else ""
                yield f"{self.inline(schema['contentEncoding'])}{what}"
            if "default" in schema:
                yield f"{self._shown(schema['default'])} when absent"

    def _one_of(self, schema: Mapping[str, Any]) -> str:
        values = schema["enum"]
        shown = ", ".join(self._shown(value) for value in values[:_MAX_VALUES])
        more = f" and {len(values) - _MAX_VALUES} more" if len(values) > _MAX_VALUES else ""
        others = "; others may come" if schema.get("x-open-enum") is True else ""
        return f"{shown}{more}{others}"

    def _shown(self, value: Any) -> str:
        text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
        return self._code(text if len(text) <= 60 else text[:59] + "…")


def _lengths(schema: Mapping[str, Any]) -> Iterator[str]:
    least, most = schema.get("minLength"), schema.get("maxLength")
    if isinstance(least, int) and isinstance(most, int):
        yield f"{least} to {most} characters" if least != most else f"{most} characters"
    elif isinstance(least, int) and least > 0:
        yield "not empty" if least == 1 else f"at least {least} characters"
    elif isinstance(most, int):
        yield f"at most {most} characters"


def _bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    bounds = {key: schema[key] for key in _BOUNDS if is_number(schema.get(key))}
    if "minimum" in bounds and "maximum" in bounds:
        yield f"{_number(bounds.pop('minimum'))} to {_number(bounds.pop('maximum'))}"
    for key, value in bounds.items():
        phrase = _BOUNDS[key].format(_number(value))
        yield phrase.removesuffix("s") if value == 1 and key.endswith("Items") else phrase


def _number(value: int | float) -> str:
    if isinstance(value, int) and abs(value) == 2**53 - 1:
        return "2⁵³−1" if value > 0 else "−(2⁵³−1)"
    return json.dumps(value)


def _get(node: Conjunct, key: str) -> Any:
    return node.schema.get(key) if isinstance(node.schema, dict) else None
