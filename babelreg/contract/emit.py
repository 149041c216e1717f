"""Rules for producers and encoding of envelopes: stricter than what a reader accepts.

Source: BabelQueue, "Producer rules" and "Forbidden fields"; facts E4-E17, E26, E34, N4, N8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from babelreg.contract.envelope import (
    ASCII_BLANKS,
    FORBIDDEN,
    SCHEMA_VERSION,
    EnvelopeFault,
    has_common_shape,
    type_fault,
)
from babelreg.contract.exact_numbers import dumps
from babelreg.errors import BabelregError
from babelreg.schema.pointer import Pointer
from babelreg.schema.pointer import text as pointer_text

CORE_META = ("id", "queue", "lang", "schema_version", "created_at")
DEAD_LETTER = ("reason", "error", "exception", "failed_at", "original_queue", "attempts", "lang")
"""The members of a ``dead_letter`` block in the order of all six SDKs."""

LANGUAGES = ("php", "go", "python", "java", "dotnet", "node")
_LEAST, _MOST = -(2**63), 2**63 - 1
_ORDER = ("job", "trace_id", "data", "meta", "attempts", "dead_letter")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_FORBIDDEN_META = frozenset(key for where, key in FORBIDDEN if where)


_NUMBERS = re.compile(rb"[:,\[]-?(?:[0-9]{19}|[0-9.]+e)").search
"""Numbers that may be beyond 64 bits, or that orjson may write in another way."""


class EmitError(BabelregError):
    """An envelope that must not be sent. ``fault`` has the reason and an RFC 6901 pointer."""

    def __init__(self, fault: EnvelopeFault) -> None:
        super().__init__(f"{fault.detail} [{fault.reason}]")
        self.fault = fault


def extension_fault(entries: Iterable[tuple[str, Any]]) -> EnvelopeFault | None:
    """Return why extra ``meta`` entries must not be sent, or None: a core key, a forbidden key, a repeated key (N8)."""
    seen: set[str] = set()
    for key, _ in entries:
        pointer = "/meta/" + key.replace("~", "~0").replace("/", "~1")
        if key in CORE_META:
            return EnvelopeFault("reserved_key", pointer, f"meta.{key} is set by the envelope itself")
        if key in _FORBIDDEN_META:
            return EnvelopeFault("forbidden_key", pointer, f"meta.{key} is a forbidden key")
        if key in seen:
            return EnvelopeFault("repeated_key", pointer, f"meta.{key} is given twice")
        seen.add(key)
    return None


def _forbidden(document: Mapping[str, Any]) -> EnvelopeFault | None:
    for where, key in (*FORBIDDEN, ("", "urn")):
        block = document.get(where) if where else document
        if isinstance(block, Mapping) and key in block:
            pointer = f"/{where}/{key}" if where else f"/{key}"
            return EnvelopeFault("forbidden_key", pointer, f"{pointer} is a forbidden key")
    return None


def fault(document: Mapping[str, Any], *, first: bool = True) -> EnvelopeFault | None:
    """Return why this envelope must not be sent, or None.

    ``first``: it is sent for the first time, so every rule for producers applies. Otherwise it is passed on (retry,
    dead letter), and only the rules for every envelope on the wire apply.
    """
    wrong = _forbidden(document) or type_fault(dict(document))
    if wrong is None and first:
        wrong = _incomplete(document) or _beyond_int64(document)
    return wrong


def _incomplete(document: Mapping[str, Any]) -> EnvelopeFault | None:
    meta = document.get("meta") or {}
    job, trace_id, queue = document.get("job"), document.get("trace_id"), meta.get("queue")
    if not isinstance(job, str) or not job.strip(ASCII_BLANKS):
        return EnvelopeFault("missing_urn", "/job", "job is missing or blank")
    if not isinstance(document.get("data"), dict):
        return EnvelopeFault("invalid_data", "/data", "data is not an object")
    for pointer, identity in (("/trace_id", trace_id), ("/meta/id", meta.get("id"))):
        if not isinstance(identity, str) or not _UUID.match(identity):
            return EnvelopeFault("not_a_uuid", pointer, f"{pointer[1:].replace('/', '.')} is not a UUID")
    if not queue:
        return EnvelopeFault("empty_string", "/meta/queue", "meta.queue is missing or empty")
    if meta.get("lang") not in LANGUAGES:
        return EnvelopeFault("not_in_enum", "/meta/lang", f"meta.lang is not one of {', '.join(LANGUAGES)}")
    if meta.get("schema_version") != SCHEMA_VERSION:
        return EnvelopeFault("wrong_const", "/meta/schema_version", f"meta.schema_version is not {SCHEMA_VERSION}")
    created_at = meta.get("created_at")
    if not isinstance(created_at, int) or created_at < 0:
        return EnvelopeFault(
            "below_minimum", "/meta/created_at", "meta.created_at is not a time since 1970 in milliseconds"
        )
    if document.get("attempts") != 0:
        return EnvelopeFault("wrong_const", "/attempts", "attempts does not start at 0")
    if document.get("dead_letter") is not None:
        return EnvelopeFault(
            "forbidden_key", "/dead_letter", "dead_letter belongs to messages of a dead-letter queue (E36)"
        )
    if str(trace_id).lower() == str(meta["id"]).lower():
        return EnvelopeFault("same_id", "/meta/id", "meta.id is the trace_id; it names one message (E10)")
    return None


def _beyond_int64(document: Mapping[str, Any]) -> EnvelopeFault | None:
    """Return the fault of the first integer beyond 64 bits, which the SDKs of Go, Java and .NET cannot read (E26)."""
    waiting: list[Any] = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            waiting.extend(value.values())
        elif isinstance(value, (list, tuple)):
            waiting.extend(value)
        elif isinstance(value, int) and not _LEAST <= value <= _MOST:
            where = pointer_text(next(_integers_beyond(document)))
            return EnvelopeFault(
                "not_an_int64", where, f"{where[1:].replace('/', '.')} does not fit into 64 bits (E26)"
            )
    return None


def _integers_beyond(document: Mapping[str, Any]) -> Iterator[Pointer]:
    waiting: list[tuple[Any, Pointer]] = [(document, ())]
    while waiting:
        value, where = waiting.pop()
        if isinstance(value, Mapping):
            waiting.extend((member, (*where, name)) for name, member in reversed(list(value.items())))
        elif isinstance(value, (list, tuple)):
            waiting.extend((item, (*where, index)) for index, item in reversed(list(enumerate(value))))
        elif isinstance(value, int) and not _LEAST <= value <= _MOST:
            yield where


def make(
    urn: str,
    data: Mapping[str, Any],
    *,
    queue: str,
    lang: str = "python",
    trace_id: str | None = None,
    meta: Iterable[tuple[str, Any]] = (),
) -> dict[str, Any]:
    """Return a new envelope, with a new ``meta.id`` and the current time. A blank ``trace_id`` begins a new trace.

    Raises EmitError when no producer may send it.
    """
    import time
    import uuid

    extra = list(meta)
    wrong = extension_fault(extra)
    if wrong is not None:
        raise EmitError(wrong)
    core = {"id": str(uuid.uuid4()), "queue": queue, "lang": lang, "schema_version": SCHEMA_VERSION}
    document = {
        "job": urn.strip(ASCII_BLANKS),
        "trace_id": (trace_id or "").strip(ASCII_BLANKS) or str(uuid.uuid4()),
        "data": dict(data),
        "meta": {**core, "created_at": time.time_ns() // 1_000_000, **dict(extra)},
        "attempts": 0,
    }
    wrong = fault(document)
    if wrong is not None:
        raise EmitError(wrong)
    return document


def encode(document: Mapping[str, Any], *, first: bool = True) -> bytes:
    """Return the envelope as bytes: compact UTF-8, characters unescaped, known keys first in their order (E2, E25).

    Raises EmitError when it must not be sent, or cannot be written as JSON.
    """
    wrong = fault(document, first=first)
    if wrong is not None:
        raise EmitError(wrong)
    meta = document.get("meta")
    ordered = {key: document[key] for key in _ORDER if key in document}
    if isinstance(meta, dict):
        ordered["meta"] = {**{key: meta[key] for key in CORE_META if key in meta}, **meta}
    letter = document.get("dead_letter")
    if isinstance(letter, dict):
        ordered["dead_letter"] = {**{key: letter[key] for key in DEAD_LETTER if key in letter}, **letter}
    try:
        _check_keys({**ordered, **document})
        return dumps({**ordered, **_rest(document)}).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as err:
        raise EmitError(
            EnvelopeFault("not_json", "", f"the envelope cannot be written as JSON: {str(err)[:200]}")
        ) from err


def encode_parsed(document: dict[str, Any]) -> bytes:
    """Return :func:`encode` of a new envelope whose values were read from JSON: no NaN, and names that are texts.

    Members are in their order. It costs a tenth, as neither values nor names are looked at one by one: an envelope of
    the common shape has no forbidden key.
    """
    try:
        written = orjson.dumps(document)
    except (TypeError, RecursionError):
        return encode(document)
    if _NUMBERS(written) or not has_common_shape(document) or _incomplete(document):
        return encode(document)
    return written


def _rest(document: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in _ORDER}


def _check_keys(value: Any) -> None:
    # json.dumps would write 1 and "1" as one name twice
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if any(not isinstance(key, str) for key in value):
                raise TypeError("a property name is not a string")
            waiting.extend(value.values())
        elif isinstance(value, (list, tuple)):
            waiting.extend(value)
