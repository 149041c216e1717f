"""An `x-spark-type` that no column can have.

A misspelt type, or one that cannot hold the values of the schema, is ignored: the column gets its usual type. A weight
with `decimel(18,2)` becomes a DOUBLE, whose values are rounded, and to correct it later changes the type of a published
column.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        weight: {type: number, x-spark-type: "decimel(18,2)"}
        seen_at: {type: integer, x-spark-type: timestamp}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        weight: {type: number, x-spark-type: "decimal(18,2)"}
        seen_at: {type: integer, x-unit: epoch-ms}

Fix::

    Write a type that holds the values, or remove `x-spark-type`: `date`, `timestamp` and `binary` are for text,
    `bigint` is for integers, `double` for numbers, `decimal` for numbers and text, `string`, `json` and `variant` for
    everything.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.schema import pointer
from babelreg.schema.conjuncts import Conjunct, ConjunctWalker, Recursion
from babelreg.schema.types import KINDS

severity = Severity.ERROR
profile = "standard"

_MARK = "x-spark-type"
_MOST_STEPS = 100


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields_with(_MARK):
        if (reason := _reason(field)) is not None:
            text = f"the {_MARK} of {field.shown} has no effect: {reason}"
            fix = "correct it, or remove it; `babelreg explain spark-type-ignored` lists the types"
            yield Problem(text, field.source, (*field.pointer, _MARK), fix=fix, urn=field.urn)


def _reason(field: SchemaField) -> str | None:
    """Return why the type is ignored; None if it is not, or if other parts of the schema decide that."""
    from babelreg.typemap.spark import type_override  # most registries do not need it

    reasons = []
    for kinds in _possible(field):
        try:
            type_override.type_for(field.schema, kinds)
        except ValueError as err:
            reasons.append(str(err).removeprefix(f"{_MARK} "))
        else:
            return None
    return reasons[0]


def _possible(field: SchemaField) -> list[frozenset[str]]:
    """Return the kinds of values that the field may have; more than one set if others may limit them further."""
    single = [frozenset({kind}) for kind in sorted(KINDS - {"null"})]
    if field.may_be_limited_elsewhere or not isinstance(field.bundled, dict):
        return single
    schemas = ConjunctWalker(field.bundled, _MOST_STEPS)
    try:
        nodes = [Conjunct(pointer.find(field.bundled, field.inside), field.inside)]
        return [schemas.kinds(*schemas.flat(nodes, frozenset())) - {"null"}]
    except (KeyError, Recursion, OverflowError):
        return single
