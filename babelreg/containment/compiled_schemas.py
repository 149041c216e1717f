"""The schemas of one comparison, compiled for the first validator and sent to the second."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from babelreg.containment.bare_schema import bare
from babelreg.containment.preconditions import obstacle
from babelreg.containment.schema_diff import Difference, differences
from babelreg.containment.search.node import SearchDocument, compared
from babelreg.containment.second_validator import SchemaCase, SecondValidator
from babelreg.containment.validator import SchemaValidator
from babelreg.errors import SchemaError
from babelreg.schema.dialects import Dialect


@dataclass
class CompiledSchemas:
    """The schemas of one comparison by name, each compiled once. Raises SchemaError for an unusable schema.

    Where they are views without annotations, ``written`` has the schemas that they are views of, which have passed
    :func:`obstacle`. ``stripped`` may have the named ones without annotations.
    """

    named: dict[str, Any]
    dialect: Dialect
    formats: bool
    second_validator: SecondValidator
    written: dict[str, Any] = field(default_factory=dict)
    stripped: dict[str, Any] = field(default_factory=dict)
    case: SchemaCase = field(init=False)
    validators: dict[str, SchemaValidator] = field(init=False)
    _searched: dict[str, SearchDocument] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        views = self.named if self.written else {}
        for name, schema in views.items():
            if problem := obstacle(schema, self.dialect):
                raise SchemaError(f"the {name} schema {problem}")
        self.stripped |= views
        self.case = SchemaCase(self.named, self.dialect, formats=self.formats, validator=self.second_validator)
        self.validators = {name: self._compiled(name, schema) for name, schema in (self.written | self.named).items()}

    @cached_property
    def differences(self) -> list[Difference]:
        """Return where the two schemas differ as written; an empty list where one of them is not available."""
        schemas = {**self.written, **self.named}
        return differences(schemas["old"], schemas["new"]) if {"old", "new"} <= schemas.keys() else []

    def bare(self, name: str) -> Any:
        """Return the schema of that name without annotations."""
        if name not in self.stripped:
            self.stripped[name] = bare(self.named[name], self.dialect, formats=self.formats, asserted=True)
        return self.stripped[name]

    def searched(self, inner: str, outer: str) -> tuple[SearchDocument, SearchDocument]:
        """Return two schemas for a search of candidates. Both directions of a pair share what it compiles."""
        for name in (inner, outer):
            if name not in self._searched:
                compiled = self.validators[name].compiled
                document = SearchDocument(self.bare(name), self.dialect, formats=self.formats, compiled=compiled)
                self._searched[name] = document
        return compared(self._searched[inner], self._searched[outer])

    def _compiled(self, name: str, schema: Any) -> SchemaValidator:
        try:
            return SchemaValidator(schema, self.dialect, formats=self.formats)
        except SchemaError as err:
            message = err.message.replace("the schema", f"the {name} schema", 1)
            raise SchemaError(message, fix=err.fix) from err
