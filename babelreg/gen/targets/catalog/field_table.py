"""The table of all fields: each distinct row once, because messages share fragments and habits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.gen.reference import field_rows
from babelreg.gen.targets.catalog import plain_text
from babelreg.typemap.names import visible

FieldRow = tuple[str, str, str, str, str, str]


class FieldTable:
    """Rows of fields: path, type, required (yes, no, depends), values, meaning, category of personal data."""

    def __init__(self) -> None:
        self._numbers: dict[FieldRow, int] = {}

    def add(self, schema: Mapping[str, Any]) -> list[int]:
        """Return the numbers of the fields of ``schema``, in their order, until :meth:`renumber`."""
        return [self._number(row) for row in field_rows.rows(schema, plain_text)]

    def _number(self, row: field_rows.FieldRow) -> int:
        key = (visible(row.path), row.type, row.required, row.values, row.meaning, row.personal)
        return self._numbers.setdefault(key, len(self._numbers))

    def sorted_rows(self) -> list[FieldRow]:
        """Return the rows, sorted."""
        return sorted(self._numbers)

    def renumber(self) -> list[int]:
        """Return the place of each number in :meth:`sorted_rows`."""
        places = {row: place for place, row in enumerate(self.sorted_rows())}
        return [places[row] for row in self._numbers]
