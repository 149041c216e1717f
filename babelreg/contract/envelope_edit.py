"""Changing members of an envelope while every other byte stays as the producer wrote it.

Decoding and encoding would turn 1.10 into 1.1 and round long numbers, so members are set, and keys that must not be
passed on are cut out, in the text. Bodies here are known to be one JSON object. Source: facts E35, N6, N7, 1.5.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from babelreg.contract.envelope import ASCII_BLANKS, FORBIDDEN

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]', re.DOTALL)
_SPACE = " \t\r\n"
_FORBIDDEN = frozenset(key for where, key in FORBIDDEN if not where)
_FORBIDDEN_META = frozenset(key for where, key in FORBIDDEN if where == "meta")


class _Member(NamedTuple):
    """One member of an object: its key, and the offsets of the key's first character and of its value."""

    key: str
    begin: int
    start: int
    end: int


class _Edit(NamedTuple):
    start: int
    end: int
    text: str


def with_members(text: str, members: Mapping[str, Any], removed: Collection[str] = ()) -> str:
    """Return the envelope ``text`` with ``members`` (JSON values) set at its top level; new ones come last.

    Members ``removed``, and keys that must never be passed on (E35), are cut out, and the ``urn`` alias is folded into
    ``job`` (N5, N6).
    """
    present = list(_members(text))
    spelled = {key: _encode(value) for key, value in members.items()}
    edits = [_Edit(member.start, member.end, spelled[member.key]) for member in present if member.key in spelled]
    cut = (_FORBIDDEN | set(removed)) - spelled.keys()
    renamed = None
    if "urn" not in spelled and any(member.key == "urn" for member in present):
        renamed = _fold(text, present, edits, "job" in spelled)
        cut |= {"urn"}
    edits += _cuts(present, [member.key in cut and member is not renamed for member in present])
    for member in present:
        if member.key == "meta" and text.startswith("{", member.start) and "meta" not in spelled:
            inner = list(_members(text, member.start, member.end))
            edits += _cuts(inner, [below.key in _FORBIDDEN_META for below in inner])
    remains = any(member.key not in cut or member is renamed for member in present)
    missing = [f"{_encode(key)}:{value}" for key, value in spelled.items() if all(m.key != key for m in present)]
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    if not missing:
        return text
    head = text.rstrip(_SPACE)[:-1].rstrip(_SPACE)
    return f"{head}{',' if remains else ''}{','.join(missing)}}}"


def _fold(text: str, present: list[_Member], edits: list[_Edit], job_is_set: bool) -> _Member | None:
    """Fold ``urn`` into ``job``; return the member that is renamed for it, if any."""
    job = next((member for member in reversed(present) if member.key == "job"), None)
    alias = next(member for member in reversed(present) if member.key == "urn")
    if job_is_set or (job is not None and _names(text, job)) or not _names(text, alias):
        return None
    if job is not None:
        edits.append(_Edit(job.start, job.end, text[alias.start : alias.end]))
        return None
    colon = text.index(":", alias.begin + len('"urn"') - 1)
    edits.append(_Edit(alias.begin, alias.begin + len(text[alias.begin : colon].rstrip(_SPACE)), '"job"'))
    return alias


def _names(text: str, member: _Member) -> bool:
    """Return True for a string that is not blank (N3, N5)."""
    value = text[member.start : member.end]
    return value.startswith('"') and str(json.loads(value)).strip(ASCII_BLANKS) != ""


def _cuts(members: list[_Member], cut: list[bool]) -> Iterator[_Edit]:
    """Yield the edits that take members out of their object, each with the comma that goes with it."""
    last = max((at for at, gone in enumerate(cut) if not gone), default=-1)
    for at, gone in enumerate(cut):
        if gone and at < last:
            yield _Edit(members[at].begin, members[at + 1].begin, "")
    if last < len(members) - 1:
        start = members[last].end if last >= 0 else members[0].begin
        yield _Edit(start, members[-1].end, "")


def _members(text: str, begin: int = 0, end: int | None = None) -> Iterator[_Member]:
    """Yield the members of the object at ``begin``. Iterative: nesting may be deep."""
    depth, start = 0, -1
    key, last, opened = "", "", 0
    for token in _TOKEN.finditer(text, begin, len(text) if end is None else end):
        symbol = token.group()
        if symbol in "{[":
            depth += 1
        elif depth == 1 and symbol == ":" and start < 0:
            key, start = json.loads(last), token.end()
        elif depth == 1 and symbol in ",}" and start >= 0:
            value = text[start : token.start()]
            first = start + len(value) - len(value.lstrip(_SPACE))
            yield _Member(key, opened, first, first + len(value.strip(_SPACE)))
            start = -1
        elif symbol[0] == '"' and depth == 1 and start < 0:
            last, opened = symbol, token.start()
        if symbol in "}]":
            depth -= 1


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
