"""Positions of values and keys in JSON, for findings."""

from __future__ import annotations

import json
from collections.abc import Iterator

from babelreg.lazy_pattern import LazyPattern
from babelreg.schema.pointer import Pointer

_TOKEN = LazyPattern(r'"(?:[^"\\]|\\.)*"|[{}\[\],]')
_SPACE = LazyPattern(r"[ \t\r\n]*")
_decode = json.JSONDecoder().raw_decode


def column(line: str, pointer: Pointer, *, key: bool = False) -> int:
    """Return the column (from 1) of the value at ``pointer`` in ``line``, a valid JSON document, or of its key.

    Where there is no value, that of the nearest parent.
    """
    at = position = _after_space(line, 0)
    for step in pointer:
        place = _member(line, at, str(step)) if line[at] == "{" else _item(line, at, step)
        if place is None:
            return at + 1
        named, at = place
        position = named if key else at
    return position + 1


def repeated_keys(text: str) -> Iterator[tuple[str, int]]:
    """Yield each key that its object in ``text``, a valid JSON document, has already, with its offset."""
    above: list[set[str] | None] = []
    is_key = False
    for token in _TOKEN.finditer(text):
        spelled = token[0]
        if spelled in "{[":
            above.append(set() if spelled == "{" else None)
            is_key = spelled == "{"
        elif spelled in "}]":
            above.pop()
            is_key = False
        elif spelled == ",":
            is_key = above[-1] is not None
        elif is_key and (keys := above[-1]) is not None:
            key, is_key = json.loads(spelled), False
            if key in keys:
                yield key, token.start()
            keys.add(key)


def _member(line: str, at: int, name: str) -> tuple[int, int] | None:
    """Return the offsets of the key ``name`` of the object at ``at`` and of its value; the last one counts."""
    position = None
    at = _after_space(line, at + 1)
    while line[at] == '"':
        start = at
        text, at = _decode(line, at)
        at = _after_space(line, _after_space(line, at) + 1)  # behind the colon
        if text == name:
            position = (start, at)
        at = _after_space(line, _decode(line, at)[1])
        if line[at] != ",":
            break
        at = _after_space(line, at + 1)
    return position


def _item(line: str, at: int, step: str | int) -> tuple[int, int] | None:
    """Return the offset of the item of the array at ``at``, twice; None where there is no such item."""
    if line[at] != "[" or not str(step).isdigit():
        return None
    at = _after_space(line, at + 1)
    for _ in range(int(step)):
        if line[at] == "]":
            return None
        at = _after_space(line, _decode(line, at)[1])
        if line[at] != ",":
            return None
        at = _after_space(line, at + 1)
    return None if line[at] == "]" else (at, at)


def _after_space(line: str, at: int) -> int:
    match = _SPACE.match(line, at)
    assert match is not None
    return match.end()
