"""Upcast operations: they turn data of the superseded URN into data of this one, in order, on JSON.

    - rename: {amount_minor: total.minor}
    - default: {total.currency: EUR}

An absent source is a no-op. ``rename``, ``set`` and ``default`` make the objects on the way to their target; items of
an array are never made. ``rename`` onto an existing property is an error, ``set`` overwrites, ``default`` keeps
an existing value, null too. ``cast`` and ``map`` work in place; ``cast`` leaves null alone, ``map`` leaves alone what
its table does not list. ``rename`` removes its source before it looks at its target, so ``{total: total.minor}`` works.
Anything else that does not match is an error, never a guess.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from babelreg.contract.data_slots import Path, parse, slots
from babelreg.contract.exact_numbers import number_text
from babelreg.errors import BabelregError
from babelreg.schema.field_path import PathError
from babelreg.schema.values import as_integer, is_integral, is_number

_Operation = Callable[[dict[str, Any]], None]
_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)\Z")
_MAX_DIGITS = 4_000


class UpcastError(BabelregError):
    """An invalid operation, or data that an operation does not match. Names the operation by its number, from 1."""


@dataclass(frozen=True, slots=True)
class Upcast:
    """Compiled operations."""

    operations: tuple[tuple[str, _Operation], ...] = ()

    def apply(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the new data; ``data`` is not changed.

        Raises UpcastError when the data does not match an operation.
        """
        new: dict[str, Any] = copy.deepcopy(dict(data))
        for name, operation in self.operations:
            try:
                operation(new)
            except PathError as err:
                raise UpcastError(f"{name}: {err}") from None
        return new


def compiled(operations: Sequence[Mapping[str, Any]]) -> Upcast:
    """Return the operations that a message file lists under ``upcast``, compiled.

    Raises UpcastError when one of them is invalid.
    """
    made: list[tuple[str, _Operation]] = []
    for number, operation in enumerate(operations, 1):
        if not isinstance(operation, Mapping) or len(operation) != 1:
            raise UpcastError(f"upcast {number} must be one operation", fix=f"write one of {', '.join(OPERATIONS)}")
        ((kind, given),) = operation.items()
        name = f"upcast {number} ({kind})"
        if kind not in OPERATIONS:
            raise UpcastError(f"upcast {number}: there is no operation {kind!r}", fix=f"use {', '.join(OPERATIONS)}")
        try:
            made.extend((name, one) for one in OPERATIONS[kind](given))
        except PathError as err:
            raise UpcastError(f"{name}: {err}") from None
    return Upcast(tuple(made))


def composed(upcasts: Iterable[Upcast]) -> Upcast:
    """Return one upcast that applies these one after the other: v1 to v2, then v2 to v3."""
    return Upcast(tuple(operation for upcast in upcasts for operation in upcast.operations))


def _pairs(given: Any) -> list[tuple[Path, Any]]:
    if not isinstance(given, Mapping) or not given:
        raise PathError("it takes a mapping of paths")
    return [(parse(str(path)), value) for path, value in given.items()]


def _rename(given: Any) -> Iterable[_Operation]:
    return [_renaming(source, parse(target)) for source, target in _pairs(_texts(given))]


def _texts(given: Any) -> Any:
    if isinstance(given, Mapping) and not all(isinstance(target, str) for target in given.values()):
        raise PathError("it takes a mapping of paths to paths")
    return given


def _renaming(source: Path, target: Path) -> _Operation:
    shared = source.arrays
    if target.arrays != shared:
        raise PathError(f"{source.text!r} and {target.text!r} must be in the same items")

    # any name will do: only the holder is used
    holders = Path(source.text, (*shared, "")) if shared else None
    inner_source, inner_target = _inside(source), _inside(target)

    def operation(data: dict[str, Any]) -> None:
        for holder in [slot.holder for slot in slots(data, holders, create=False)] if holders else [data]:
            for slot in list(slots(holder, inner_source, create=False)):
                if slot.filled:
                    value = slot.take()
                    (place,) = slots(holder, inner_target, create=True)
                    if place.filled:
                        raise PathError(f"{target.text!r} already exists, so {source.text!r} cannot be renamed to it")
                    place.put(value)

    return operation


def _inside(path: Path) -> Path:
    return Path(path.text, path.steps[len(path.arrays) :])


def _set(given: Any) -> Iterable[_Operation]:
    return [_setting(path, value, keep=False) for path, value in _pairs(given)]


def _default(given: Any) -> Iterable[_Operation]:
    return [_setting(path, value, keep=True) for path, value in _pairs(given)]


def _setting(path: Path, value: Any, *, keep: bool) -> _Operation:
    def operation(data: dict[str, Any]) -> None:
        for slot in slots(data, path, create=True):
            if not (keep and slot.filled):
                slot.put(copy.deepcopy(value))

    return operation


def _drop(given: Any) -> Iterable[_Operation]:
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise PathError("it takes a path or a list of paths")
    return [_in_place(parse(name), None) for name in names]


def _in_place(path: Path, change: Callable[[Any], Any] | None) -> _Operation:
    """Return an operation on existing values: it changes them, or removes them where ``change`` is None."""

    def operation(data: dict[str, Any]) -> None:
        for slot in list(slots(data, path, create=False)):
            if slot.filled:
                if change is None:
                    slot.take()
                else:
                    slot.put(change(slot.value))

    return operation


def _cast(given: Any) -> Iterable[_Operation]:
    made = []
    for path, kind in _pairs(given):
        if not isinstance(kind, str) or kind not in CASTS:
            raise PathError(f"there is no cast {str(kind)[:50]!r}; use {', '.join(CASTS)}")
        made.append(_in_place(path, _casting(path, CASTS[kind])))
    return made


def _casting(path: Path, cast: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def change(value: Any) -> Any:
        if value is None:
            return None
        try:
            return cast(value)
        except PathError as err:
            raise PathError(f"{path.text} {err}") from None

    return change


def _as_integer(value: Any) -> int:
    if is_integral(value):
        return as_integer(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise PathError("is not an integer")
    return value


def _to_string(value: Any) -> str:
    integer = _as_integer(value)
    if abs(integer) >= 10**_MAX_DIGITS:
        raise PathError("has too many digits")
    return str(integer)


def _to_integer(value: Any) -> int:
    if not isinstance(value, str) or not _INTEGER.match(value) or len(value) > _MAX_DIGITS:
        raise PathError("is not a string of an integer's digits")
    return int(value)


def _to_number(value: Any) -> int | float:
    integer = _as_integer(value)
    try:
        number = float(integer)
    except OverflowError:
        return integer
    # beyond 2^53 a double would lose digits; an integer is a number as it is
    return number if number == integer else integer


def _map(given: Any) -> Iterable[_Operation]:
    made = []
    for path, table in _pairs(given):
        if not isinstance(table, Mapping) or not table:
            raise PathError(f"{path.text!r} takes a table of values")
        made.append(_in_place(path, _mapping(dict(table))))
    return made


def _mapping(table: dict[str, Any]) -> Callable[[Any], Any]:
    def change(value: Any) -> Any:
        key = _key(value)
        return copy.deepcopy(table[key]) if key is not None and key in table else value

    return change


def _key(value: Any) -> str | None:
    """Return a value as a key of a table: strings as they are, the other scalars as in JSON, 1.0 as 1."""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_integral(value):
        return str(as_integer(value))
    if isinstance(value, Decimal):
        return number_text(value)
    return str(value) if is_number(value) else None


CASTS: Mapping[str, Callable[[Any], Any]] = {
    "integer->string": _to_string,
    "string->integer": _to_integer,
    "integer->number": _to_number,
}
OPERATIONS: Mapping[str, Callable[[Any], Iterable[_Operation]]] = {
    "rename": _rename,
    "set": _set,
    "default": _default,
    "drop": _drop,
    "cast": _cast,
    "map": _map,
}
