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

Fix::

    In a draft, write `type: boolean`. A published message needs a new version for that (`babelreg mint`), since old
    producers still send the old spelling; `upcast: [{map: ...}]` translates it. If 0 and 1 are codes, describe what
    each means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lazy_pattern import LazyPattern
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField, words
from babelreg.lint.scope import Scope
from babelreg.schema.pointer import Pointer

severity = Severity.ERROR
profile = "standard"

_TEXTS = ({"true", "false"}, {"0", "1"})
_PATTERN = LazyPattern(r"\^?\(?(?:\?:)?(?:true\|false|false\|true|0\|1|1\|0|\[01\]|\[10\])\)?\$?\Z", re.IGNORECASE)
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
# Which of two, not whether, unless a question is asked of it: winner, but is_winner.
_CHOICES = frozenset(
    words(
        "winner loser team player direction parity polarity pin mode quality qos urgency severity type kind class "
        "category group axis lane bank variant edition scheme algorithm method dimension gender sex orientation bucket "
        "shard partition replica worker seat half round turn hand leg"
    )
)
# 0 = buyer, 1 = seller: a code; 0 = no, 1 = yes: a truth value
_MEANING = LazyPattern(r"\b(?P<value>[01])\W{0,2}\s*(?:=|:|-|\u2013|means|is|for)\s*(?P<meaning>[A-Za-z]+)")
_TRUTHS = frozenset(
    words("true false yes no on off not none never enabled disabled active inactive set unset present absent")
)


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields:
        spelling = _spelled(field)
        if spelling is not None and not _is_code(field.description):
            at, what = spelling
            text = f"{field.shown} is a boolean spelled {what}"
            yield Problem(text, field.source, at, fix="type: boolean", urn=field.urn)


def _spelled(field: SchemaField) -> tuple[Pointer, str] | None:
    schema, named = field.schema, field.words
    asks = len(named) > 1 and named[0] in _ASKS
    if not asks and "enum" not in schema and "pattern" not in schema and not (named and named[-1] in _STATES):
        return None  # most fields
    last = set(named[-1:])
    if _NUMBERS & last or (_CHOICES & last and not asks):
        return None
    values = schema.get("enum")
    if isinstance(values, list):
        what = _pair([value for value in values if value is not None])
        return ((*field.pointer, "enum"), what) if what else None
    pattern = schema.get("pattern")
    if "string" in field.types and isinstance(pattern, str) and _PATTERN.match(pattern):
        return (*field.pointer, "pattern"), f"as a string ({pattern})"
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


def _is_code(description: str) -> bool:
    """Return True when ``description`` gives 0 and 1 a meaning other than no and yes."""
    meanings = {match["value"]: match["meaning"].lower() for match in _MEANING.finditer(description)}
    return len(meanings) == 2 and not _TRUTHS & set(meanings.values())


def _pair(values: list[object]) -> str | None:
    if len(values) != 2:
        return None
    if all(type(value) is int for value in values):
        return "0/1" if set(values) == {0, 1} else None
    if all(isinstance(value, str) for value in values) and {str(value).lower() for value in values} in _TEXTS:
        return "/".join(f'"{value}"' for value in values)
    return None
