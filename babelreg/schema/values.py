"""JSON values as JSON Schema sees them: their types, their equality, and 1.0 as the integer 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, TypeGuard

import orjson

_MAX_DEPTH = 5_000
_EXACT = 2**53


def json_type(value: Any) -> str:
    """Return the JSON Schema type of ``value``: ``integer`` for 1 and 1.0, ``number`` for other numbers."""
    if isinstance(value, str):
        return "string"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or is_integral(value):
        return "integer"
    if isinstance(value, float | Decimal):
        return "number"
    return "array" if isinstance(value, list) else "object"


def is_number(value: Any) -> TypeGuard[int | float]:
    """Return True for a number of a schema; a boolean is not a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_integral(value: Any) -> TypeGuard[float | Decimal]:
    """Return True for a float or a Decimal without a fraction, such as 1.0 and 1e2."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, Decimal) and value.is_finite() and value == value.to_integral_value()


def as_integer(value: float | Decimal) -> int:
    """Return the integer that a number without a fraction is in JSON: 1e23 is 10**23, its double is not."""
    if isinstance(value, float) and not -_EXACT < value < _EXACT:
        value = Decimal(repr(value))
    return int(value)


def number_as_written(text: str) -> int | float:
    """Return the number of a schema or an example that has a fraction or an exponent: a float that is exactly ``text``.

    9007199254740993.0 is an integer. Raises ValueError for a number that is neither; infinity is returned.
    """
    value = float(text)
    if value in (math.inf, -math.inf):
        return value
    try:
        exact = Decimal(text)
    except InvalidOperation:  # an exponent of 18 digits
        exact = Decimal(1) / 3
    if Decimal(repr(value)) == exact:
        return value
    if is_integral(exact):
        return int(exact)
    raise ValueError(f"{text[:60]} has more digits than a double: it would be read as {value!r}")


def identical(left: Any, right: Any) -> bool:
    """Return True if both are written alike: 1 and 1.0 differ. Python's ``==`` alone would call 1 and true the same."""
    if isinstance(left, dict):
        if not isinstance(right, dict) or left.keys() != right.keys():
            return False
        return all(identical(value, right[key]) for key, value in left.items())
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(identical, left, right))
    return type(left) is type(right) and left == right


def equality_key(value: Any) -> Hashable:
    """Return a key that is the same for equal JSON values only: 1 and 1.0 are equal, 1 and true are not.

    From 2^53 on, where validators differ, 9007199254740992 and 9007199254740992.0 have two keys.
    """
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, (int, float, Decimal)):
        return _number(value)
    if isinstance(value, list):
        return (list, *map(equality_key, value))
    return (dict, frozenset((name, equality_key(member)) for name, member in value.items()))


def _number(value: int | float | Decimal) -> Hashable:
    if isinstance(value, Decimal) and is_integral(value):
        return (int, int(value))
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return (int, int(value))
    return (type(value), value)


def integral(value: Any) -> Any:
    """Return ``value`` with every 1.0 as 1: an integer in JSON Schema and in some encoders, not in Python.

    A value without one is returned as it is, not copied. There is no recursion: a message may be nested deeper than
    Python calls.
    """
    return rebuilt(value, _as_integer_if_integral) if _has_integral(value) else value


def _as_integer_if_integral(value: float | Decimal) -> int | float | Decimal:
    return as_integer(value) if is_integral(value) else value


def _has_integral(value: Any) -> bool:
    """Return True where ``value`` is or holds a float without a fraction."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        kind = type(item)
        if kind is dict:
            waiting.extend(item.values())
        elif kind is list:
            waiting.extend(item)
        elif (kind is float and item.is_integer()) or (kind is Decimal and is_integral(item)):
            return True
    return False


def rebuilt(value: Any, convert: Callable[[float | Decimal], Any]) -> Any:
    """Return a copy of ``value`` in lists and dictionaries, each Decimal and each float without a fraction converted.

    A part that occurs in several places, even in itself, is copied once.
    """
    top: list[Any] = [value]
    copies: dict[int, tuple[Any, Any]] = {}  # with the original, so that its id is not used again
    waiting: list[tuple[Any, Any, int]] = [(top, 0, 0)]
    while waiting:
        into, key, depth = waiting.pop()
        item = into[key]
        if isinstance(item, Decimal) or is_integral(item):
            into[key] = convert(item)
        elif isinstance(item, (list, tuple, Mapping)) and depth < _MAX_DEPTH:
            if id(item) in copies:
                into[key] = copies[id(item)][1]
                continue
            into[key] = made = dict(item) if isinstance(item, Mapping) else list(item)
            copies[id(item)] = (item, made)
            waiting.extend((made, step, depth + 1) for step in (made if isinstance(made, dict) else range(len(made))))
    return top[0]


def may_mention(value: Any, names: Iterable[str]) -> bool:
    """Return False only where no mapping in ``value`` has a key of ``names``: a cheap test that saves a walk."""
    try:
        text = orjson.dumps(value)
    except TypeError:  # no JSON, too deep, or an integer beyond 64 bits
        return True
    return any(b'"%b"' % name.encode() in text for name in names)


def may_contain(value: Any, text: str) -> bool:
    """Return False only where no name and no string in ``value`` contains ``text``, which is ASCII that JSON keeps."""
    try:
        return text.encode() in orjson.dumps(value)
    except TypeError:  # as in :func:`may_mention`
        return True


_SCALARS = frozenset({str, int, float, bool, type(None)})


def mappings(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every mapping in ``value`` at any depth: schemas, and data and names that look like them.

    So nothing is missed whatever the dialect, for questions where too much does no harm. There is no recursion.
    """
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
            waiting += [part for part in item.values() if type(part) not in _SCALARS]
        elif isinstance(item, list):
            waiting += [part for part in item if type(part) not in _SCALARS]
