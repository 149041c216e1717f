"""Two properties of one object that differ only in case or in Unicode composition.

Spark, SQL and .NET ignore case, and two texts that look the same may be different bytes: of `orderId` and
`orderID` one becomes a column and the other is lost, and consumers read the wrong one.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        orderId: {type: integer}
        orderID: {type: integer}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer}

Fix::

    Keep the one that is used. If they differ in meaning, give one a more specific name. On a published message that is
    a new version, with an `upcast` that renames.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.typemap.spark.column_names import folded

severity = Severity.ERROR
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields_with("properties"):
        properties = field.schema["properties"]
        if not isinstance(properties, dict) or len({*map(_folded, properties)}) == len(properties):
            continue
        first: dict[str, str] = {}
        for name in properties:
            other = first.setdefault(_folded(name), name)
            if other is not name:
                text = _told(name, other)
                there = field.source.place((*field.pointer, "properties", other), key=True)
                at = (*field.pointer, "properties", name)
                fix = f"keep one of the two, or rename '{name}'"
                yield Problem(text, field.source, at, key=True, fix=fix, urn=field.urn, against=there)


def _told(name: str, other: str) -> str:
    both = f"'{name}' and '{other}'"
    if folded(name) == folded(other):
        return f"{both} are the same column in Spark, and the same name to most readers"
    if folded(_composed(name)) == folded(_composed(other)):  # two columns, whose names are printed alike
        return f"{both} look alike: their letters are composed in two ways, {name!a} and {other!a}"
    return f"{both} are the same name to readers that ignore case"


@lru_cache(maxsize=1 << 14)
def _folded(name: str) -> str:
    # as systems see it that tell neither case nor the composition of letters apart
    return name.lower() if name.isascii() else _composed(folded(_composed(name)).casefold())


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)
