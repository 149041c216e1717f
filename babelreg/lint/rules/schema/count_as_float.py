"""A count typed as number.

Half an attempt does not exist. `type: number` admits 2.5, makes the field a float in most languages and a DOUBLE column
in Spark, where 3 is shown as 3.0. The rule reports names that can only be counts: `..._count`, `number_of_...`,
`attempts`, `retries`; averages, rates and quantities that may be weighed are fine.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        item_count: {type: number, minimum: 0}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        item_count: {type: integer, minimum: 0}

Fix::

    Write `type: integer`. Producers that send only whole numbers are not affected, but the schema admits less than
    before, so for a published message `babelreg breaking` asks for a new version.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.schema.values import json_type

severity = Severity.WARNING
profile = "standard"

_LAST = frozenset({"count", "counts", "counter", "attempts", "retries"})
_FIRST = (("number", "of"), ("num", "of"), ("no", "of"))
_OTHER = frozenset(
    {
        *("avg", "average", "mean", "median", "per", "rate", "ratio", "percent", "percentage", "pct", "weighted"),
        *("estimated", "expected", "fraction", "share", "score", "thread", "calorie", "blood", "cell", "platelet"),
    }
)


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields_with("type"):
        if field.types == ("number",) and _is_count(field):
            text = f"'{field.name}' is a count, but its type is number, which allows 2.5"
            at = (*field.pointer, "type")
            yield Problem(text, field.source, at, fix="type: integer", urn=field.urn)


def _is_count(field: SchemaField) -> bool:
    named = field.words
    if not named or _OTHER & set(named) or field.schema.get("multipleOf") == 1:
        return False
    if named[-1] not in _LAST and named[:2] not in _FIRST:
        return False
    return not any(json_type(value) == "number" for value in field.samples())
