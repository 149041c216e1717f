"""A value that an `enum` lists twice, or two that differ only in case.

A value listed twice is a mistake; often another value was intended. `Paid` beside `paid` is two values to every
validator and one to people, to SQL collations and to generated enums, whose members then clash.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        state: {type: string, enum: [open, paid, open]}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        state: {type: string, enum: [open, paid]}

Fix::

    Remove the second one; `babelreg lint --fix` removes exact repetitions, which changes nothing for any message. Of
    two spellings, keep the one that is sent; if both are sent, consumers must accept both until a new version has only
    one.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.model import Edit
from babelreg.schema.values import equality_key, integral

severity = Severity.WARNING
profile = "standard"

_SHORTEST_WORD = 2  # m and M, kB and KB are units


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields_with("enum"):
        values = field.schema["enum"]
        if isinstance(values, list) and not _all_different(values):
            yield from _repeated(field, values)


def _all_different(values: list[Any]) -> bool:
    """Return True for a list of distinct texts, which nearly all lists are."""
    return all(type(value) is str for value in values) and len({value.casefold() for value in values}) == len(values)


def _repeated(field: SchemaField, values: list[Any]) -> Iterator[Problem]:
    first: dict[Hashable, int] = {}
    folded: dict[str, int] = {}
    for index, value in enumerate(values):
        spelled = equality_key(value)
        at = (*field.pointer, "enum", index)
        other = first.setdefault(spelled, index)
        if other != index:
            edits = (Edit(field.source.path, "remove", at),)
            text = f"{_shown(value)} is listed twice"
            there = field.source.place((*field.pointer, "enum", other))
            yield Problem(text, field.source, at, fix="remove it here", urn=field.urn, against=there, edits=edits)
            continue
        word = isinstance(value, str) and len(value) > _SHORTEST_WORD
        twin = folded.setdefault(value.casefold(), index) if word else index
        if twin != index:
            text = f"{_shown(value)} and {_shown(values[twin])} differ only in case"
            there = field.source.place((*field.pointer, "enum", twin))
            yield Problem(text, field.source, at, fix="keep the one that producers send", urn=field.urn, against=there)


def _shown(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else json.dumps(integral(value), sort_keys=True)
