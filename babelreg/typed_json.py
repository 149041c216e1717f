"""JSON of files that another program may have written, as dataclasses: each value is checked against its annotation.

A check sum shows that a file is as it was written, not who wrote it. A reader of such a file that uses this module does
not meet a list where its code expects a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

Value = TypeVar("Value")
_Reader = Callable[[Any], Any]

_NAMES = {str: "a string", int: "an integer", float: "a number", bool: "a boolean", NoneType: "null"}


class WrongType(ValueError):
    """A value is not what its annotation says. ``path`` leads to it."""

    def __init__(self, wanted: str) -> None:
        super().__init__(wanted)
        self.wanted = wanted
        self.path: list[str | int] = []

    def __str__(self) -> str:
        steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in reversed(self.path))
        return f"'{steps.removeprefix('.')}' is not {self.wanted}" if steps else f"it is not {self.wanted}"


def typed(kind: Callable[..., Value], value: Any) -> Value:
    """Return ``value``, parsed JSON, as ``kind``.

    Kinds are scalars, ``tuple[int, str]`` and named tuples, ``tuple[int, ...]``, ``dict[str, int]`` or a Mapping,
    Literals, unions, Any, and dataclasses, whose members with defaults may be absent. Raises WrongType, a ValueError.
    """
    return cast("Value", _reader(kind)(value))


@cache
def _reader(kind: Any) -> _Reader:
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return _anything
    if is_dataclass(kind):
        return _object(cast("type", kind))
    if hasattr(kind, "_fields"):
        return _named_tuple(kind)
    if origin is Literal:
        return _one_of(arguments)
    if origin is UnionType:
        return _union([_reader(argument) for argument in arguments])
    if origin is tuple:
        if arguments[1:] == (...,):
            return _array(_reader(arguments[0]))
        return _fixed([_reader(argument) for argument in arguments])
    if origin in (Mapping, dict):
        return _mapping(_reader(arguments[1]))
    if kind not in _NAMES:
        raise TypeError(f"{kind} is not a JSON type")
    return _scalar(kind)


def _scalar(kind: type) -> _Reader:
    allowed = (float, int) if kind is float else (kind,)

    def read(value: Any) -> Any:
        if type(value) not in allowed:
            raise WrongType(_NAMES[kind])
        return value

    return read


def _one_of(choices: Sequence[Any]) -> _Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, str) or value not in choices:
            raise WrongType("one of " + ", ".join(choices))
        return value

    return read


def _union(readers: Sequence[_Reader]) -> _Reader:
    def read(value: Any) -> Any:
        wanted = []
        for reader in readers:
            try:
                return reader(value)
            except WrongType as err:
                wanted.append(err)
        raise wanted[0] if wanted[0].path else WrongType(" or ".join(err.wanted for err in wanted))

    return read


def _array(reader: _Reader) -> _Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, list):
            raise WrongType("an array")
        return tuple(_each(enumerate(value), reader))

    return read


def _fixed(readers: Sequence[_Reader]) -> _Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, list) or len(value) != len(readers):
            raise WrongType(f"an array of {len(readers)} values")
        return tuple(_at(number, reader, value[number]) for number, reader in enumerate(readers))

    return read


def _named_tuple(kind: Any) -> _Reader:
    hints = get_type_hints(kind)
    read = _fixed([_reader(hints[name]) for name in kind._fields])
    return lambda value: kind(*read(value))


def _anything(value: Any) -> Any:
    return value


def _mapping(reader: _Reader) -> _Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise WrongType("an object")
        return dict(zip(value, _each(value.items(), reader), strict=True))

    return read


def _object(kind: type) -> _Reader:
    hints = get_type_hints(kind)
    readers = {field.name: _reader(hints[field.name]) for field in fields(kind)}
    required = [field.name for field in fields(kind) if field.default is field.default_factory is MISSING]

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise WrongType("an object")
        for name in required:
            if name not in value:
                raise WrongType(f"an object with the member '{name}'")
        if unknown := next((name for name in value if name not in readers), None):
            raise WrongType(f"an object without a member '{unknown}'")
        return kind(**{name: _at(name, readers[name], member) for name, member in value.items()})

    return read


def _each(items: Iterable[tuple[str | int, Any]], reader: _Reader) -> list[Any]:
    return [_at(step, reader, value) for step, value in items]


def _at(step: str | int, reader: _Reader, value: Any) -> Any:
    try:
        return reader(value)
    except WrongType as err:
        err.path.append(step)
        raise
