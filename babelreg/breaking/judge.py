"""The first of the two validators: jsonschema-rs, in our own process, on both sides of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from babelreg.schema.dialects import Dialect
from babelreg.schema.pointer import Pointer

__all__ = ["Refusal", "Sieve"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """One keyword that refuses a document. ``pointer`` leads to it in the schema, ``instance`` into the document."""

    pointer: Pointer
    keyword: str
    instance: Pointer
    message: str


class Sieve:
    """One schema, compiled.

    Raises SchemaError where it is no valid schema or refers to what it does not hold.
    """

    def __init__(self, schema: Any, dialect: Dialect, *, formats: bool) -> None:
        self._validator = dialect.validator_for(schema, formats=formats)

    def takes(self, document: Any) -> bool:
        """True if the schema allows ``document``; False too where the validator gives up on it."""
        try:
            return bool(self._validator.is_valid(document))
        except ValueError:
            return False

    def refuses(self, document: Any) -> bool:
        """True if the schema refuses ``document``. Not the opposite of ``takes``: giving up is neither."""
        try:
            return not self._validator.is_valid(document)
        except ValueError:
            return False

    def refusals(self, document: Any) -> list[Refusal]:
        """Every keyword that refuses ``document``, in the validator's order."""
        return [
            Refusal(tuple(error.schema_path), error.kind.name, tuple(error.instance_path), error.message)
            for error in self._validator.iter_errors(document)
        ]
