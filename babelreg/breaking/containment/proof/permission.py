"""Validation of single values by parts of a schema, where the answer is certain."""

from __future__ import annotations

from typing import Any

from babelreg.breaking.containment.proof.conjuncts import BoundSchema, mentions, value_type
from babelreg.breaking.containment.proof.pattern_automata import matches
from babelreg.errors import SchemaError
from babelreg.schema.dialects import Dialect
from babelreg.schema.keywords import REFERENCES
from babelreg.schema.regex.python_to_ecma import ECMA
from babelreg.schema.subschemas import mappings

__all__ = ["Permissions"]

_PATTERNS = ("pattern", "patternProperties")


class Permissions:
    """The validators of one proof. Each schema is compiled once; the caller keeps it alive."""

    def __init__(self, dialect: Dialect, *, formats: bool) -> None:
        self._dialect = dialect
        self._formats = formats
        self._validators: dict[int, tuple[str | None, Any]] = {}
        self.reads_patterns = False
        self.compiled = 0
        """The number of mappings in all schemas that were compiled."""

    def permits(self, node: BoundSchema, value: Any) -> bool | None:
        """Return whether ``node`` allows ``value``; None where that is not certain.

        Uncertain are references in a part of a schema, numbers where 1 and 1.0 differ, and patterns that cannot be read
        as their engine does.
        """
        if isinstance(node.schema, bool):
            return node.schema
        if not self._dialect.booleans and _contains_number(value):
            return None
        if id(node.schema) not in self._validators:
            self._validators[id(node.schema)] = self._compiled(node)
        pattern, validator = self._validators[id(node.schema)]
        if pattern is not None and isinstance(value, str):
            matched = matches(pattern, value, node.reading)
            if not matched:
                return matched
        try:
            return None if validator is None else bool(validator.is_valid(value))
        except (ValueError, RecursionError):
            return None

    def _compiled(self, node: BoundSchema) -> tuple[str | None, Any]:
        """Return a pattern that is to be matched apart, and a validator; None where answers would not be certain."""
        schema, pattern = node.schema, None
        self.compiled += sum(1 for _ in mappings(schema))
        refers = mentions(schema, REFERENCES)
        if refers and schema is not node.anchors.root:
            return None, None
        if mentions(schema, _PATTERNS):
            self.reads_patterns = True
            if node.reading != ECMA and isinstance(schema.get("pattern"), str) and not refers:
                pattern = schema["pattern"]
                schema = {keyword: item for keyword, item in schema.items() if keyword != "pattern"}
            if node.reading != ECMA and mentions(schema, _PATTERNS):
                return None, None
        try:
            return pattern, self._dialect.validator_for(schema, formats=self._formats)
        except (SchemaError, ValueError, RecursionError):
            return None, None


def _contains_number(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_contains_number, value.values()))
    return any(map(_contains_number, value)) if isinstance(value, list) else value_type(value) == "number"
