"""Regular expressions in the schemas to report on, parsed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.schema.pointer import Pointer

if TYPE_CHECKING:
    from babelreg.schema.regex.parser import Regex

MAX_CHARACTERS = 200_000
"""Limit for all different expressions together: parsing more takes seconds."""


class Pattern(NamedTuple):
    """A regular expression at ``pointer`` in the file of ``field``, as a key if ``key``."""

    field: SchemaField
    pointer: Pointer
    key: bool
    text: str

    @property
    def regex(self) -> Regex:
        """The parsed expression."""
        from babelreg.schema.regex.parser import parse  # not needed by most schemas

        return parse(self.text)

    def problem(self, text: str, at: int, fix: str) -> Problem:
        """Return a problem at the character ``at`` of the expression."""
        field = self.field
        return Problem(text, field.source, self.pointer, key=self.key, offset=at, fix=fix, urn=field.urn)


def patterns(scope: Scope) -> Iterator[Pattern]:
    """Yield the values of ``pattern`` and the keys of ``patternProperties``, in the order of the files."""
    seen: set[str] = set()
    budget = MAX_CHARACTERS
    for field in scope.fields_with("pattern", "patternProperties"):
        for pointer, key, text in _written(field):
            if text not in seen:
                seen.add(text)
                budget -= len(text)
            if budget < 0:
                return
            yield Pattern(field, pointer, key, text)


def _written(field: SchemaField) -> Iterator[tuple[Pointer, bool, str]]:
    pattern, by_name = field.schema.get("pattern"), field.schema.get("patternProperties")
    if isinstance(pattern, str):
        yield (*field.pointer, "pattern"), False, pattern
    for name in by_name if isinstance(by_name, dict) else ():
        yield (*field.pointer, "patternProperties", name), True, name
