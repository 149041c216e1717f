"""The schemas of one comparison, compiled for the first validator and sent to the second."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from babelreg.containment.schema_diff import Difference, differences
from babelreg.containment.search.node import SearchDocument, compared
from babelreg.containment.second_validator import SchemaCase
from babelreg.containment.validator import SchemaValidator
from babelreg.errors import SchemaError


@dataclass
class CompiledSchemas:
    """The schemas of one comparison by name, each compiled once. Raises SchemaError for an unusable schema.

    ``written`` has ``old`` and ``new``, which may be those of ``case``, or the schemas that these are views of.
    ``bare`` has the schemas of ``case`` without annotations.
    """

    case: SchemaCase
    written: dict[str, Any]
    bare: dict[str, Any]
    validators: dict[str, SchemaValidator] = field(init=False)
    _searched: dict[str, SearchDocument] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        schemas = {**self.written, **self.case.schemas}
        self.validators = {name: self._compiled(name, schema) for name, schema in schemas.items()}

    @cached_property
    def differences(self) -> list[Difference]:
        """Return where the two schemas differ as written."""
        return differences(self.written["old"], self.written["new"])

    def searched(self, inner: str, outer: str) -> tuple[SearchDocument, SearchDocument]:
        """Return two schemas for a search of candidates. Both directions of a pair share what it compiles."""
        for name in (inner, outer):
            if name not in self._searched:
                compiled = self.validators[name].compiled
                self._searched[name] = SearchDocument(
                    self.bare[name], self.case.dialect, formats=self.case.formats, compiled=compiled
                )
        return compared(self._searched[inner], self._searched[outer])

    def _compiled(self, name: str, schema: Any) -> SchemaValidator:
        try:
            return SchemaValidator(schema, self.case.dialect, formats=self.case.formats)
        except SchemaError as err:
            message = err.message.replace("the schema", f"the {name} schema", 1)
            raise SchemaError(message, fix=err.fix) from err
