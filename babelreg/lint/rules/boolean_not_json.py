"""A truth value spelled 0/1 or "true"/"false".

`"false"` is true in PHP, JavaScript and Python, and 0 is true in Ruby-like languages: each consumer would need
its own rule. JSON has `true` and `false`.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        is_gift: {type: integer, enum: [0, 1]}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        is_gift: {type: boolean}
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.field import Field, words
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.schema.pointer import Pointer

severity = Severity.ERROR

_TEXTS = ({"true", "false"}, {"0", "1"})
_PATTERN = re.compile(r"\^?\(?(?:\?:)?(?:true\|false|false\|true|0\|1|1\|0|\[01\]|\[10\])\)?\$?\Z", re.IGNORECASE)
_ASKS = frozenset(words("is has was are can should must may will did does allow allows enable"))
_STATES = frozenset(
    words("enabled disabled active deleted flag verified confirmed paid valid visible archived required")
)
# What really counts or numbers something, where 0 and 1 happen to be all there is.
_NUMBERS = frozenset(
    words(
        "level priority version tier code count number index digit bit side sign quantity qty rank score step phase "
        "stage position offset channel port slot line page size length probability confidence ratio rate share weight"
    )
)


def check(scope: Scope) -> Iterator[Problem]:
    """See Rule."""
    for field in scope.fields:
        found = _spelled(field)
        if found is not None:
            at, what = found
            text = f"{field.shown} is a truth value spelled {what}"
            yield Problem(text, field.source, at, fix="type: boolean", urn=field.urn)


def _spelled(field: Field) -> tuple[Pointer, str] | None:
    schema, named = field.schema, field.words
    if _NUMBERS & set(named[-1:]):
        return None
    values = schema.get("enum")
    if isinstance(values, list):
        what = _pair([value for value in values if value is not None])
        return ((*field.pointer, "enum"), what) if what else None
    pattern = schema.get("pattern")
    if "string" in field.types and isinstance(pattern, str) and _PATTERN.match(pattern):
        return (*field.pointer, "pattern"), f"as a string ({pattern})"
    asks = bool(_ASKS & set(named[:1])) and len(named) > 1
    if (asks or _STATES & set(named[-1:])) and {"integer", "number"} & set(field.types):
        if schema.get("minimum") == 0 and schema.get("maximum") == 1 and "integer" in field.types:
            return (*field.pointer, "type"), "0/1"
        samples = list(field.samples())
        if asks and samples and all(type(value) is int and value in (0, 1) for value in samples):
            return (*field.pointer, "type"), "0/1"
    if asks and field.types == ("string",):
        samples = list(field.samples())
        if samples and all(isinstance(value, str) and value.lower() in ("true", "false") for value in samples):
            return (*field.pointer, "type"), '"true"/"false"'
    return None


def _pair(values: list[object]) -> str | None:
    if len(values) != 2:
        return None
    if all(type(value) is int for value in values):
        return "0/1" if set(values) == {0, 1} else None
    if all(isinstance(value, str) for value in values) and {str(value).lower() for value in values} in _TEXTS:
        return "/".join(f'"{value}"' for value in values)
    return None
