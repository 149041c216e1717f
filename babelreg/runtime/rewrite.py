"""Changing one member of an envelope while every other byte stays as the producer wrote it.

A retry or a dead letter must not re-encode what it hands on: decoding and encoding turns 1.10 into 1.1 and rounds
long numbers. So members are replaced in the text. Bodies here are known to be one JSON object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from babelqueue.codec import FORBIDDEN_KEYS, EnvelopeCodec

from babelreg.contract.parse import deep

__all__ = ["with_members"]

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]', re.DOTALL)
_SPACE = " \t\r\n"


class _Member(NamedTuple):
    key: str
    start: int
    end: int


def with_members(text: str, members: Mapping[str, Any]) -> str:
    """The envelope ``text`` with ``members`` (JSON values) set at its top level; new ones come last.

    An envelope with keys that must never be passed on (E35, and the ``urn`` alias) is decoded and encoded instead,
    which drops them.
    """
    found = list(_top_level(text))
    if _forbidden(text, found):
        with deep():  # a body may nest as deep as the parser's bound, and the codec goes as deep as the interpreter
            return _encode({**EnvelopeCodec.decode_lenient(text), **members})
    spelled = {key: _encode(value) for key, value in members.items()}
    for member in reversed(found):
        if member.key in spelled:
            text = text[: member.start] + spelled[member.key] + text[member.end :]
    missing = [f"{_encode(key)}:{value}" for key, value in spelled.items() if all(m.key != key for m in found)]
    if not missing:
        return text
    head = text.rstrip(_SPACE)[:-1].rstrip(_SPACE)
    comma = "," if found else ""
    return f"{head}{comma}{','.join(missing)}}}"


def _top_level(text: str) -> Iterator[_Member]:
    """The members of the object ``text``, with the span of each value. Iterative: nesting may be deep."""
    depth = 0
    key = ""
    last = ""
    start = -1
    for token in _TOKEN.finditer(text):
        found = token.group()
        if found in "{[":
            depth += 1
        elif depth == 1 and found == ":" and start < 0:
            key, start = json.loads(last), token.end()
        elif depth == 1 and found in ",}" and start >= 0:
            value = text[start : token.start()]
            begin = start + len(value) - len(value.lstrip(_SPACE))
            yield _Member(key, begin, begin + len(value.strip(_SPACE)))
            start = -1
        elif found[0] == '"' and depth == 1:
            last = found
        if found in "}]":
            depth -= 1


def _forbidden(text: str, found: list[_Member]) -> bool:
    top = {key for container, key in FORBIDDEN_KEYS if container is None} | {"urn"}
    inner = {key for container, key in FORBIDDEN_KEYS if container == "meta"}
    for member in found:
        if member.key in top:
            return True
        if member.key == "meta":
            keys = {deeper.key for deeper in _top_level(text[member.start : member.end])}
            if keys & inner:
                return True
    return False


def _encode(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # A lone surrogate can travel as an escape only.
    return text if _is_utf8(text) else json.dumps(value, separators=(",", ":"), allow_nan=False)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
