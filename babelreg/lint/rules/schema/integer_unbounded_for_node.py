"""An integer without an upper bound in a message that a Node service consumes.

JavaScript reads every number as a double, exact up to 2^53 - 1. The schema does not limit the value, and nobody notices
when it exceeds that: it is rounded, without any error. A bound documents that it never does, or makes the producer
refuse it. `integer-unsafe-for-node` reports signs that larger values are intended.

Bad::

    urn: urn:babel:orders:created
    consumers: [storefront]
    data:
      type: object
      properties:
        order_id: {type: integer}

Good::

    urn: urn:babel:orders:created
    consumers: [storefront]
    data:
      type: object
      properties:
        order_id: {type: integer, maximum: 9007199254740991}

Fix::

    Write `maximum: 9007199254740991`, or the largest value there can be. On a published message `babelreg breaking`
    says whether that needs a new version.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.integer_bounds import MAX_SAFE_INTEGER, out_of_range
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope

severity = Severity.INFO
profile = "standard"

_BOUNDS = ("maximum", "exclusiveMaximum")
_LISTED = ("enum", "const")
_SMALL_FORMATS = frozenset({"int8", "int16", "int32", "uint8", "uint16", "uint32"})
_LARGE_FORMATS = ("int64", "uint64", "long", "int128", "uint128", "uint256")


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields_with("type"):
        if "integer" not in field.types or not field.name or _may_be_bounded(field):
            continue
        if next(out_of_range(field, -MAX_SAFE_INTEGER, MAX_SAFE_INTEGER, _LARGE_FORMATS), None) is not None:
            continue  # integer-unsafe-for-node says more
        reader = scope.consumer_in("node", field)
        if reader is not None:
            text = f"{field.shown} has no upper bound, but '{reader}' (Node) reads it exactly only up to 2^53 - 1"
            at = (*field.pointer, "type")
            yield Problem(text, field.source, at, fix=f"maximum: {MAX_SAFE_INTEGER}, or less", urn=field.urn)


def _may_be_bounded(field: SchemaField) -> bool:
    schema = field.schema
    if any(key in schema for key in (*_BOUNDS, *_LISTED)) or schema.get("format") in _SMALL_FORMATS:
        return True
    if any(type(value) is int and abs(value) > MAX_SAFE_INTEGER for value in field.samples()):
        return True  # as above
    return field.may_be_limited_elsewhere
