"""Shrinking: a smaller document with the same property, which is easier to read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from babelreg.schema.pointer import Pointer

_MAX_STEPS = 3000
_SIMPLE: tuple[Any, ...] = (None, False, 0, "", {}, [], 1, True, "a")


def shrunk(document: Any, holds: Callable[[Any], bool], steps: int = _MAX_STEPS) -> Any:
    """Return the smallest document found for which ``holds``, starting from one for which it does.

    ``steps`` bounds the calls of ``holds``; the order of attempts is fixed.
    """
    while True:
        for smaller in _smaller(document):
            if steps == 0:
                return document
            steps -= 1
            if holds(smaller):
                document = smaller
                break
        else:
            return document


def _smaller(document: Any) -> Iterator[Any]:
    for pointer, value in _places(document):
        if isinstance(value, (dict, list)) and value:
            yield from (_replaced(document, pointer, part) for part in _halves(value))
    for pointer, value in _places(document):
        size = _weight(value)
        for simple in _SIMPLE:
            if _weight(simple) < size:
                yield _replaced(document, pointer, simple)
        if isinstance(value, str) and len(value) > 1:
            yield from (_replaced(document, pointer, cut) for cut in (value[: len(value) // 2], value[:-1], value[1:]))
        if isinstance(value, float) and value == int(value) and abs(value) < 2**53:
            yield _replaced(document, pointer, int(value))


def _halves(value: Any) -> Iterator[Any]:
    """Yield ``value`` without half of its parts, without a quarter, ... without each single part."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    width = len(keys)
    while width:
        for start in range(0, len(keys), width):
            dropped = set(keys[start : start + width])
            if isinstance(value, dict):
                yield {k: v for k, v in value.items() if k not in dropped}
            else:
                yield [v for i, v in enumerate(value) if i not in dropped]
        width //= 2


def _places(document: Any) -> list[tuple[Pointer, Any]]:
    """Return every value in the document with its pointer, outer ones first."""
    places: list[tuple[Pointer, Any]] = [((), document)]
    for pointer, value in places:
        if isinstance(value, dict):
            places.extend(((*pointer, k), v) for k, v in value.items())
        elif isinstance(value, list):
            places.extend(((*pointer, i), v) for i, v in enumerate(value))
    return places


def _replaced(document: Any, pointer: Pointer, value: Any) -> Any:
    if not pointer:
        return value
    step, rest = pointer[0], pointer[1:]
    if isinstance(document, dict):
        return {**document, str(step): _replaced(document[str(step)], rest, value)}
    index = int(step)
    return [*document[:index], _replaced(document[index], rest, value), *document[index + 1 :]]


def _weight(value: Any) -> tuple[int, int, int]:
    """Return the sort key of simplicity: empty containers first, fewer characters as JSON, then the simpler type."""
    spelled = json.dumps(value)
    alike = (i for i, simple in enumerate(_SIMPLE) if simple == value and type(simple) is type(value))
    filled = isinstance(value, (dict, list)) and bool(value)
    return (int(filled), len(spelled), next(alike, len(_SIMPLE)))
