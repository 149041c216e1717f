"""Validation of single values by parts of a schema, where the answer is certain."""

from __future__ import annotations

from typing import Any

from babelreg.breaking.containment.certificates.core_schemas import DRAFTS, View
from babelreg.breaking.containment.certificates.facts import Fact, Side
from babelreg.breaking.containment.certificates.single_values import Validators
from babelreg.breaking.containment.proof.conjuncts import BoundSchema, mentions, value_type
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
        self._validators: dict[int, Any] = {}
        self._checker = Validators(DRAFTS.index(dialect.name), formats=formats)
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
            self._validators[id(node.schema)] = self._validator(node)
        validator = self._validators[id(node.schema)]
        try:
            if isinstance(validator, Fact):
                return self._checker.permit(validator, value)
            return None if validator is None else bool(validator.is_valid(value))
        except (ValueError, RecursionError):
            return None

    def _validator(self, node: BoundSchema) -> Any:
        """Return a validator, or what the checker is asked instead; None where answers would not be certain."""
        schema = node.schema
        self.compiled += sum(1 for _ in mappings(schema))
        if schema is not node.anchors.root and mentions(schema, REFERENCES):
            return None
        if mentions(schema, _PATTERNS):
            self.reads_patterns = True
            if node.reading != ECMA:
                return self._read_by_the_checker(node)
        return self._compiled(schema)

    def _read_by_the_checker(self, node: BoundSchema) -> Fact:
        """Return the schema for the checker, which reads patterns as their engine does. The validator does not."""
        view = View(node.schema, DRAFTS.index(self._dialect.name), formats=self._formats)
        return Fact(view.root, Side(view, node.reading), holds=True)

    def _compiled(self, schema: Any) -> Any:
        try:
            return None if schema is None else self._dialect.validator_for(schema, formats=self._formats)
        except (SchemaError, ValueError, RecursionError):
            return None


def _contains_number(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_contains_number, value.values()))
    return any(map(_contains_number, value)) if isinstance(value, list) else value_type(value) == "number"
