"""Validation of examples by the producer view of a message's schema, with formats asserted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from babelreg.errors import SchemaError
from babelreg.schema.dialects import identify
from babelreg.schema.pointer import Pointer, located
from babelreg.schema.validation_cost import TooComplexError, bounded
from babelreg.suggest import likely_typo

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

    from babelreg.lint.schema.plain_verdicts import Verdicts
    from babelreg.schema.validation_cost import BoundedValidator

_LONGEST = 200


class Complaint(NamedTuple):
    """One reason why a document is not valid, at ``pointer`` in it; at the key there when ``at_key``."""

    message: str
    pointer: Pointer
    at_key: bool = False
    fix: str = "correct the document, or make the schema allow it"


class ExampleValidator:
    """Validates documents by one schema. ``reason`` says why it cannot: then it neither accepts nor complains.

    The ``documents`` are validated at once, and then the compiled schema is dropped: thousands of them would be most
    of lint's memory. It is compiled again for a document that is not valid, which is rare. With ``verdicts`` on them it
    is not compiled before that.
    """

    def __init__(
        self, schema: Any, *, strict: bool = False, documents: Sequence[Any] = (), verdicts: Verdicts | None = None
    ) -> None:
        self._schema = schema
        self._strict = strict
        self.reason: str | None = None
        self._documents = documents  # referenced, so that no other document gets the id of one of them
        self._verdicts = self._validated(documents) if verdicts is None else verdicts

    def _validated(self, documents: Sequence[Any]) -> Verdicts:
        validator = self._compiled()
        return {} if validator is None else {id(document): validator.is_valid(document) for document in documents}

    @cached_property
    def _validator(self) -> Validator | BoundedValidator | None:
        return self._compiled()

    def _compiled(self) -> Validator | BoundedValidator | None:
        import jsonschema_rs

        from babelreg.contract.views import producer_view
        from babelreg.contract.views.plain_views import closed

        if self._schema is None:
            self.reason = "the schema could not be read"
            return None
        try:
            dialect = identify(self._schema)
            if not jsonschema_rs.meta.is_valid(self._schema):
                self.reason = "the schema is not valid"
                return None
            if not self._strict and (plain := closed(self._schema, dialect)) is not None:
                return dialect.validator_for(plain)  # one mapping applies to each value: no check is multiplied
            view = self._schema if self._strict else producer_view(self._schema, dialect)
            return bounded(dialect.validator_for(view), view, dialect)
        except SchemaError as err:
            self.reason = err.message
            return None

    def accepts(self, document: Any) -> bool:
        """Return True when a producer may send ``document``."""
        if self.reason is not None:
            return False
        valid = self._verdicts.get(id(document))
        if valid is not None:
            return valid
        return self._validator is not None and self._validator.is_valid(document)

    def complaints(self, document: Any, *, most: int) -> Iterator[Complaint]:
        """Yield the first ``most`` reasons why a producer may not send ``document``; none when it may."""
        if self.reason is not None or self.accepts(document) or self._validator is None:
            return
        try:
            errors = islice(self._validator.iter_errors(document), most)
        except TooComplexError as err:
            yield Complaint(f"the data cannot be checked: {err}", ())
            return
        yield from islice((complaint for error in errors for complaint in self._complaints(error, document)), most)

    def _complaints(self, error: ValidationError, document: Any) -> Iterator[Complaint]:
        at: Pointer = located(document, error)
        kind = error.kind.as_dict()
        unexpected = kind.get("unexpected")
        if unexpected and all(isinstance(name, str) for name in unexpected):
            for name in unexpected:
                yield Complaint(f"the schema has no property '{name}'", (*at, name), at_key=True, fix=self._meant(name))
        elif error.kind.name == "required":
            missing = kind["property"]
            yield Complaint(f"the property '{missing}' is missing", at, fix=f"add '{missing}'")
        elif error.kind.name == "falseSchema":
            empty = error.schema_path[-1:] == ["additionalProperties"]
            text = "the schema allows no properties here" if empty else "the schema forbids this value"
            yield Complaint(text, at, at_key=bool(at) and not empty)
        else:
            text = str(error.message)
            yield Complaint(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…", at)

    def _meant(self, name: str) -> str:
        meant = likely_typo(name, self._names)
        return f"did you mean '{meant}'?" if meant else f"declare '{name}' below 'properties', or remove it here"

    @cached_property
    def _names(self) -> frozenset[str]:
        from babelreg.schema.simplify import without_ref_siblings
        from babelreg.schema.walk import walk

        nodes = (node.schema for node in walk(without_ref_siblings(self._schema)) if isinstance(node.schema, dict))
        listed = (node.get("properties") for node in nodes)
        return frozenset(name for properties in listed if isinstance(properties, dict) for name in properties)
