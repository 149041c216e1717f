"""The first of the two validators: jsonschema-rs, in our own process, on both sides of a comparison."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from babelreg.schema.dialects import Dialect
from babelreg.schema.keywords import ADDITIONAL_PROPERTIES, ITEM_KEYWORDS, UNIONS
from babelreg.schema.pointer import Pointer

__all__ = ["Refusal", "SchemaValidator"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """One keyword that refuses a document. ``pointer`` leads to it in the schema, ``instance`` into the document.

    ``keyword`` is ``false`` where a schema is just that. ``missing`` names the property a required one lacks.
    ``unions`` are the refusals of those that it stands in a variant of, the outermost first.
    """

    pointer: Pointer
    keyword: str
    instance: Pointer
    message: str
    missing: str | None = None
    unions: tuple[Refusal, ...] = ()

    @property
    def point(self) -> tuple[Pointer, str | None]:
        """What tells one refusal from another of the same schema, whatever the document."""
        return self.pointer, self.missing


class SchemaValidator:
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

    def causes(self, document: Any) -> list[Refusal]:
        """As ``refusals``; but where a union refuses ``document`` and it is plain which variant was meant, what refuses
        it in there.
        """
        return [cause for error in self._validator.iter_errors(document) for cause in _causes(error, ())]


_WORDS = frozenset({"const", "enum", *UNIONS, "not"})
_MOST_UNIONS = 12
_MAY_BE_FALSE = frozenset({*ADDITIONAL_PROPERTIES, *ITEM_KEYWORDS, "not"}) - {"prefixItems"}


def _causes(error: Any, above: tuple[Refusal, ...]) -> list[Refusal]:
    refusal = replace(_refusal(error), unions=above)
    variants = getattr(error.kind, "context", None) if error.kind.name in UNIONS else None
    if not variants or len(above) >= _MOST_UNIONS:
        return [refusal]
    depth = len(error.instance_path)
    of_type = [variant for variant in variants if not any(_another_type(inner, depth) for inner in variant)]
    tagged = [variant for variant in of_type if not any(_another_tag(inner, depth) for inner in variant)]
    plain = [variant for variant in tagged if not any(_another_word(inner, depth) for inner in variant)]
    meant = tagged if len(of_type) == 1 else plain
    return (
        [cause for inner in meant[0] for cause in _causes(inner, (*above, refusal))] if len(meant) == 1 else [refusal]
    )


def _another_type(error: Any, above: int) -> bool:
    """True where the variant is for values of another type than the one at hand, ``above`` steps from the root."""
    return len(error.instance_path) == above and error.kind.name in ("type", "falseSchema")


def _another_tag(error: Any, above: int) -> bool:
    """True where it is for objects with another word in one of their properties."""
    return len(error.instance_path) == above + 1 and error.kind.name == "const"


def _another_word(error: Any, above: int) -> bool:
    """True where it is a word itself, or a union again."""
    return len(error.instance_path) == above and error.kind.name in _WORDS


def _refusal(error: Any) -> Refusal:
    pointer, keyword = tuple(error.schema_path), error.kind.name
    if keyword == "falseSchema":
        keyword = pointer[-1] if pointer and pointer[-1] in _MAY_BE_FALSE else "false"
    message = str(error.message)[:300]
    return Refusal(pointer, keyword, tuple(error.instance_path), message, getattr(error.kind, "property", None))
