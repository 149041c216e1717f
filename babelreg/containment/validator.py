"""The first of the two validators: jsonschema-rs, in this process. The second is in ``second_validator_worker``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from babelreg.containment.search.node import allowed
from babelreg.schema.dialects import Dialect
from babelreg.schema.keywords import ADDITIONAL_PROPERTIES, ITEM_KEYWORDS, UNIONS
from babelreg.schema.pointer import Pointer, bracketed, located, with_empty_names


@dataclass(frozen=True, slots=True)
class Refusal:
    """A keyword that refuses a document, at ``pointer`` in the schema, for the value at ``instance`` in the document.

    ``keyword`` is ``false`` for the schema ``false``. ``missing`` is the absent property that ``required`` names.
    ``unions`` are the refusals of the unions around it, the outermost first. ``unexpected`` are the properties that
    the object has and may not have.
    """

    pointer: Pointer
    keyword: str
    instance: Pointer
    message: str
    missing: str | None = None
    unions: tuple[Refusal, ...] = ()
    unexpected: tuple[str, ...] = ()

    @property
    def point(self) -> tuple[Pointer, str | None]:
        """Identify the refusal within one schema, independently of the document."""
        return self.pointer, self.missing


class SchemaValidator:
    """A compiled schema. Raises SchemaError where the schema is not valid or a reference leads nowhere."""

    def __init__(self, schema: Any, dialect: Dialect, *, formats: bool) -> None:
        self.schema = schema
        self.compiled = dialect.validator_for(schema, formats=formats)

    def accepts(self, document: Any) -> bool:
        """Return True if the schema allows ``document``; False also where the validator gives up."""
        try:
            return bool(self.compiled.is_valid(document))
        except ValueError:
            return False

    def refuses(self, document: Any) -> bool:
        """Return True if the schema refuses ``document``; False also where the validator gives up."""
        return not allowed(self.compiled, document)

    def refusals(self, document: Any) -> list[Refusal]:
        """Return every keyword that refuses ``document``, in the validator's order."""
        return [_refusal(error, self.schema, document) for error in self.compiled.iter_errors(document)]

    def causes(self, document: Any) -> list[Refusal]:
        """Return the refusals of ``document``; of a union whose intended variant is clear, those inside it."""
        errors = self.compiled.iter_errors(document)
        return [cause for error in errors for cause in _causes(error, (), self.schema, document)]


_VALUE_KEYWORDS = frozenset({"const", "enum", *UNIONS, "not"})
_MAX_UNIONS = 12
_MAY_BE_FALSE = frozenset({*ADDITIONAL_PROPERTIES, *ITEM_KEYWORDS, "not"}) - {"prefixItems"}


def _causes(error: Any, above: tuple[Refusal, ...], schema: Any, document: Any) -> list[Refusal]:
    refusal = replace(_refusal(error, schema, document), unions=above)
    variants = getattr(error.kind, "context", None) if error.kind.name in UNIONS else None
    if not variants or len(above) >= _MAX_UNIONS:
        return [refusal]
    at = len(refusal.instance)
    differing = [(variant, {_difference(inner, document, at) for inner in variant}) for variant in variants]
    of_type, tagged, typed = (
        [variant for variant, found in differing if found.isdisjoint(_DIFFERENCES[:number])] for number in (1, 2, 3)
    )
    intended = tagged if len(of_type) == 1 else typed
    if len(intended) != 1:
        return [refusal]
    return [cause for inner in intended[0] for cause in _causes(inner, (*above, refusal), schema, document)]


_DIFFERENCES = ("type", "tag", "value")


def _difference(error: Any, document: Any, above: int) -> str | None:
    """Return in what the variant differs from the value, which is ``above`` steps from the root: it has another type;
    another ``const``, or only value, for one of the object's properties; or is a constant, an enumeration or a union.
    """
    depth, kind = len(located(document, error)) - above, error.kind.name
    if depth == 0:
        return "type" if kind in ("type", "falseSchema") else "value" if kind in _VALUE_KEYWORDS else None
    is_tag = kind == "const" or (kind == "enum" and len(error.kind.options) == 1)
    return "tag" if depth == 1 and is_tag else None


def _keyword(schema: Any, error: Any) -> Pointer:
    def is_meant(pointer: Pointer, shown: str) -> bool:
        return f" in schema{bracketed(pointer[:-1])}\n\n" in shown

    return with_empty_names(schema, error.schema_path, error, is_meant)


def _refusal(error: Any, schema: Any, document: Any) -> Refusal:
    pointer, keyword = _keyword(schema, error), error.kind.name
    if keyword == "contains":  # also the name of the other two keywords' errors
        keyword = str(pointer[-1])
    if keyword == "falseSchema":
        keyword = pointer[-1] if pointer and pointer[-1] in _MAY_BE_FALSE else "false"
    message = str(error.message)[:300]
    missing, unexpected = (getattr(error.kind, name, None) for name in ("property", "unexpected"))
    names = tuple(map(str, unexpected)) if keyword in ADDITIONAL_PROPERTIES and unexpected else ()
    return Refusal(pointer, keyword, located(document, error), message, missing, unexpected=names)
