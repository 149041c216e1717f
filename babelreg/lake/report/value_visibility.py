"""Schema of one location in a document: declared or not, personal or not, and the values that it lists.

A walk goes down with the document: :meth:`SchemaLocations.root`, then :meth:`SchemaLocations.below` for a name or
:meth:`SchemaLocations.item`. In doubt a location is personal or undeclared, because the caller is about to show its
value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from babelreg.schema.applicators import applied_to_item, applied_to_property
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.simplify import without_ref_siblings
from babelreg.schema.types import declared_types

_MARK = "x-gdpr-sensitive"
_MOST = 2_000
_ELSEWHERE: Mapping[str, Any] = {"$comment": "a reference that points outside the schema, or at nothing"}
_TIMES = {"date-time": r"[0-9T:.Zz+-]{16,40}", "date": r"[0-9-]{10}", "time": r"[0-9:.Zz+-]{5,24}"}


@dataclass(frozen=True, slots=True)
class SchemaLocation:
    """The subschemas that judge the values at one place.

    ``declared``: every step that leads here is named by the schema. ``sensitive`` is the category of
    ``x-gdpr-sensitive`` here or above, empty where the mark is ``true``, None where there is none.
    """

    schemas: tuple[Mapping[str, Any], ...]
    declared: bool
    sensitive: str | None = None

    @property
    def lists_names(self) -> bool:
        """True if the names of objects here are those of fields, not the keys of a map."""
        return any(isinstance(schema.get("properties"), dict) and schema["properties"] for schema in self.schemas)

    def names(self, name: str) -> bool:
        """Return whether the schema itself has a property of this name here."""
        return any(
            name in schema["properties"] for schema in self.schemas if isinstance(schema.get("properties"), dict)
        )

    def shows(self, value: Any) -> bool:
        """Return whether a report may show the scalar ``value``: the schema restricts it and does not mark it personal.

        These are declared numbers and booleans, listed texts, and points in time.
        """
        if self.sensitive is not None or not self.declared:
            return False
        if isinstance(value, str):
            return any(_listed(schema, value) or _time(schema, value) for schema in self.schemas)
        if isinstance(value, bool):
            return self._typed("boolean")
        return value is None or self._typed("number", "integer")

    def _typed(self, *names: str) -> bool:
        return any(name in (declared_types(schema) or ()) for schema in self.schemas for name in names)


def _listed(schema: Mapping[str, Any], value: str) -> bool:
    listed = schema.get("enum")
    return schema.get("const") == value or (isinstance(listed, list) and value in listed)


def _time(schema: Mapping[str, Any], value: str) -> bool:
    form = schema.get("format")
    return isinstance(form, str) and form in _TIMES and re.fullmatch(_TIMES[form], value) is not None


class SchemaLocations:
    """The places of one bundled schema."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._root = without_ref_siblings(schema)
        self._references = LocalReferences(self._root)

    def root(self) -> SchemaLocation:
        """Return the place of the whole data."""
        return self._place([self._root], True, None)

    def below(self, place: SchemaLocation, name: str) -> SchemaLocation:
        """Return the place of the property ``name``."""
        named: list[Any] = []
        others: list[Any] = []
        for schema in place.schemas:
            # whether a pattern matches is not looked at: in doubt its mark holds
            for steps, below in applied_to_property(schema, name, self._references.dialect, None):
                (named if steps[0] == "properties" else others).append(below)
        return self._place([*named, *others], place.declared and bool(named), place.sensitive)

    def item(self, place: SchemaLocation) -> SchemaLocation:
        """Return the place of the items of an array."""
        items = [
            below for schema in place.schemas for _, below in applied_to_item(schema, None, self._references.dialect)
        ]
        return self._place(items, place.declared, place.sensitive)

    def _place(self, schemas: Iterable[Any], declared: bool, sensitive: str | None) -> SchemaLocation:
        by_identity: dict[int, Mapping[str, Any]] = {}
        waiting: list[Mapping[str, Any]] = [value for value in schemas if isinstance(value, dict)]
        while waiting and len(by_identity) < _MOST:
            schema = waiting.pop()
            if id(schema) not in by_identity:
                by_identity[id(schema)] = schema
                waiting.extend(self._in_place(schema))
        marks = [schema.get(_MARK) for schema in by_identity.values()]
        if sensitive is None:
            sensitive = next(
                (
                    value if isinstance(value, str) else ""
                    for value in marks
                    if value and isinstance(value, (str, bool))
                ),
                None,
            )
        if waiting or _ELSEWHERE in by_identity.values():
            sensitive = sensitive or ""
        return SchemaLocation(tuple(by_identity.values()), declared, sensitive)

    def _in_place(self, schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield the subschemas that apply to the same value."""
        if None in self._references.targets(schema):
            yield _ELSEWHERE
        for _, below in self._references.in_place(schema, conditions=True):
            if isinstance(below, dict):
                yield below
