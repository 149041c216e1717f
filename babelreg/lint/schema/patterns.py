"""Every regular expression of the schemas to report on, taken apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.schema.pointer import Pointer

if TYPE_CHECKING:
    from babelreg.schema.regex.parser import Regex

__all__ = ["Pattern", "patterns"]

MOST_CHARACTERS = 200_000
"""Of all different expressions together: to take more apart would take seconds."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """``text`` stands at ``pointer`` in the file of ``field``, as a key where ``key`` says so."""

    field: SchemaField
    pointer: Pointer
    key: bool
    text: str

    @property
    def regex(self) -> Regex:
        """The expression, taken apart."""
        from babelreg.schema.regex.parser import parse  # not needed by a schema without any

        return parse(self.text)

    def problem(self, text: str, at: int, fix: str) -> Problem:
        """A problem at the character ``at`` of the expression."""
        field = self.field
        return Problem(text, field.source, self.pointer, key=self.key, offset=at, fix=fix, urn=field.urn)


def patterns(scope: Scope) -> Iterator[Pattern]:
    """The values of ``pattern`` and the keys of ``patternProperties``, in the order of the files."""
    seen: set[str] = set()
    left = MOST_CHARACTERS
    for field in scope.having("pattern", "patternProperties"):
        for pointer, key, text in _written(field):
            if text not in seen:
                seen.add(text)
                left -= len(text)
            if left < 0:
                return
            yield Pattern(field, pointer, key, text)


def _written(field: SchemaField) -> Iterator[tuple[Pointer, bool, str]]:
    pattern, by_name = field.schema.get("pattern"), field.schema.get("patternProperties")
    if isinstance(pattern, str):
        yield (*field.pointer, "pattern"), False, pattern
    for name in by_name if isinstance(by_name, dict) else ():
        yield (*field.pointer, "patternProperties", name), True, name
