"""An integer beyond 2^53 - 1 in a message that a Node service consumes.

JavaScript reads every number as a double: 9007199254740993 arrives as 9007199254740992, without any error. Send such a
number as a string, or bound it. The rule reports signs that large values are intended: a bound, a listed value or an
example beyond 2^53 - 1, a 64-bit format, or a time in nanoseconds. For an integer that is merely unbounded, see
`integer-unbounded-for-node`.

Bad::

    urn: urn:babel:orders:created
    consumers: [storefront]
    data:
      type: object
      properties:
        order_id: {type: integer, format: int64}

Good::

    urn: urn:babel:orders:created
    consumers: [storefront]
    data:
      type: object
      properties:
        order_id: {type: integer, maximum: 9007199254740991}

Fix::

    If the value can never be that large, write `maximum: 9007199254740991`. If it can, send it as a string in a new
    version, and migrate the Node consumer first.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.integer_bounds import MAX_SAFE_INTEGER, integers, out_of_range
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.schema.pointer import Pointer

severity = Severity.ERROR
profile = "standard"

_FORMATS = ("int64", "uint64", "long", "int128", "uint128", "uint256")
_NANOSECONDS = frozenset({"ns", "nanos", "nanoseconds", "nanosecond"})
_TIME = frozenset({"at", "time", "timestamp", "ts", "unix", "epoch", "created", "updated", "occurred"})


def check(scope: Scope) -> Iterator[Problem]:
    for field in integers(scope):
        large = list(_large(field))
        consumer = scope.consumer_in("node", field) if large else None
        if consumer is None:
            continue
        for at, reason in large:
            text = f"{field.shown} exceeds 2^53 - 1 ({reason}), but '{consumer}' (Node) consumes it"
            fix = 'send it as a string: {type: string, pattern: "^[0-9]+$"}, or write maximum: 9007199254740991'
            yield Problem(text, field.source, at, fix=fix, urn=field.urn)


def _large(field: SchemaField) -> Iterator[tuple[Pointer, str]]:
    out_of_bounds = list(out_of_range(field, -MAX_SAFE_INTEGER, MAX_SAFE_INTEGER, _FORMATS))
    yield from out_of_bounds
    if not out_of_bounds and "integer" in field.types and not _bounded(field):
        if _NANOSECONDS & set(field.words[-1:]) and _TIME & set(field.words):
            yield (*field.pointer, "type"), "a time in nanoseconds"
        elif any(type(value) is int and abs(value) > MAX_SAFE_INTEGER for value in field.samples()):
            yield (*field.pointer, "type"), "its example does"


def _bounded(field: SchemaField) -> bool:
    bound = field.schema.get("maximum", field.schema.get("exclusiveMaximum"))
    return isinstance(bound, int | float) and bound <= MAX_SAFE_INTEGER + 1
