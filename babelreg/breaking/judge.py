"""The first of the two validators: jsonschema-rs, in our own process, on both sides of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from babelreg.breaking.dialect import Dialect
from babelreg.errors import SchemaError
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
        import jsonschema_rs

        cls = getattr(jsonschema_rs, dialect.validator)
        try:
            self._validator = cls(schema, validate_formats=formats, offline=True)
        except (ValueError, jsonschema_rs.ReferencingError) as err:
            raise SchemaError(str(err).partition("\n")[0]) from err

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
