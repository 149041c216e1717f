"""The first of the two validators: jsonschema-rs, in our own process, on both sides of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from babelreg.schema.dialects import Dialect
from babelreg.schema.pointer import Pointer

__all__ = ["Refusal", "Sieve"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """One keyword that refuses a document. ``pointer`` leads to it in the schema, ``instance`` into the document.

    ``keyword`` is ``false`` where a schema is just that. ``missing`` names the property a required one lacks.
    """

    pointer: Pointer
    keyword: str
    instance: Pointer
    message: str
    missing: str | None = None

    @property
    def point(self) -> tuple[Pointer, str | None]:
        """What tells one refusal from another of the same schema, whatever the document."""
        return self.pointer, self.missing


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
        return [_refusal(error) for error in self._validator.iter_errors(document)]


_MAY_BE_FALSE = frozenset(
    {"additionalProperties", "unevaluatedProperties", "items", "additionalItems", "unevaluatedItems", "contains", "not"}
)


def _refusal(error: Any) -> Refusal:
    pointer, keyword = tuple(error.schema_path), error.kind.name
    if keyword == "falseSchema":
        keyword = pointer[-1] if pointer and pointer[-1] in _MAY_BE_FALSE else "false"
    message = str(error.message)[:300]
    return Refusal(pointer, keyword, tuple(error.instance_path), message, getattr(error.kind, "property", None))
