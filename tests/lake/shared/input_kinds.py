"""Sixty kinds of messages in files of every type, and one hash of the rows that they become, whichever way they came.

The rows of a lake, of a frame and of open tables differ in the columns that say where a message came from, and in
VARIANT, which open tables have as JSON text. All other columns are hashed: envelope, typed data, canonical JSON; of the
quarantine every column with the bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import hostile_messages
import pyarrow as pa

from babelreg import load
from babelreg.model import Registry

__all__ = ["FILES", "KINDS", "QUARANTINED", "Rows", "bodies", "registry", "write_files"]

OTHER = "urn:babel:shop:other"
_OTHER_SCHEMA = {"type": "object", "required": ["k"], "properties": {"k": {"type": "integer"}}}
_ENVELOPE = ("urn", "message_id", "trace_id", "created_at", "lang", "queue", "attempts", "data_json")
QUARANTINED = ("reason", "pointer", "detail", "urn", "message_id", "trace_id", "lang", "body")
_AS_TEXT = frozenset({"free"})
"""Members of ``data`` that are VARIANT in a lake."""


def registry() -> Registry:
    """The registry of hostile messages, with a second message."""
    other = {
        "urn": OTHER,
        "kind": "event",
        "owner": "team",
        "description": "Another.",
        "queue": "q",
        "data": _OTHER_SCHEMA,
    }
    files = {**hostile_messages.FILES, "shop/other.yaml": json.dumps(other)}
    return load.from_tree(load.files.tree.Memory({path: text.encode() for path, text in files.items()}))


def _other(identity: str | None, data: Any, urn: str = OTHER, **changed: Any) -> bytes:
    meta = {"id": identity, "queue": "q", "lang": "php", "schema_version": 1, "created_at": 1_780_000_000_000}
    return json.dumps({"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": 0, **changed}).encode()


def _kinds() -> dict[str, list[bytes]]:
    kinds = {
        case.what: [case.body.replace(b'"id":"m"', b'"id":"h%d"' % number)]
        for number, case in enumerate(hostile_messages.CASES)
    }
    kinds |= {
        "a valid message": [_other("v", {"k": 1})],
        "a message without an id, twice": [_other(None, {"k": 2})] * 2,
        "an undeclared URN": [_other("u", {}, "urn:babel:shop:unknown")],
        "a URN with an unpaired surrogate": [_other("s", {}, "urn:babel:shop:\ud800")],
        "the same bytes again": [_other("d1", {"k": 3})] * 3,
        "a redelivery with other attempts": [_other("d2", {"k": 4}), _other("d2", {"k": 4}, attempts=3)],
        "the same number in another spelling": [_other("d3", {"k": 1}), _other("d3", {"k": 1.0})],
        "an id with other data": [_other("c1", {"k": 5}), _other("c1", {"k": 6}), _other("c1", {"k": 5})],
        "an id of another URN": [_other("c2", {"k": 7}), _other("c2", {}, hostile_messages.URN)],
        "an id that a refused message had": [_other("r", {"k": "x"}), _other("r", {"k": 8})],
        "one id in many files": [_other("f", {"k": 100 + number}) for number in range(12)],
        "an id that looks like another column": [_other("\u0000é", {"k": 9})],
        "a fraction of many digits": [_other("n", {"k": 10, "x": 0}).replace(b'"x": 0', b'"x": 0.' + b"12" * 200)],
    }
    return kinds


KINDS = _kinds()


def _framed(messages: Iterable[bytes]) -> bytes:
    return b"".join(len(body).to_bytes(4, "big") + body for body in messages)


def _zstd(content: bytes) -> bytes:
    compressed: bytes = pa.compress(content, codec="zstd", asbytes=True)
    return compressed


def _lines(messages: Iterable[bytes]) -> bytes:
    return b"\n \n\n".join([b"", *messages])  # empty lines and white space, and no LF at the end


def _same(content: bytes) -> bytes:
    return content


FILES: Mapping[str, tuple[Callable[[Iterable[bytes]], bytes], Callable[[bytes], bytes]]] = {
    "a.jsonl": (_lines, _same),
    "b.jsonl.gz": (_lines, gzip.compress),
    "c.frames": (_framed, _same),
    "d.frames.gz": (_framed, gzip.compress),
    "deep/e.jsonl": (_lines, _same),
    "f.frames.zst": (_framed, _zstd),
}
"""File types: how messages are written, and how the content is compressed."""


def by_file() -> dict[str, list[bytes]]:
    """The messages by file. Equal ids meet within files and across; a line cannot have an LF, nor a frame miss one."""
    names = list(FILES)
    placed: dict[str, list[bytes]] = {name: [] for name in names}
    for number, messages in enumerate(KINDS.values()):
        # Backwards, so that the first in the order of files is not the first in the order of kinds.
        for copy, body in enumerate(reversed(messages)):
            placed[names[(number + 5 * copy) % len(names)]].append(body)
    assert not any(b"\n" in body for bodies in placed.values() for body in bodies)
    return placed


def bodies() -> list[bytes]:
    """All messages in the order of a lake: by the names of files, then by position."""
    placed = by_file()
    return [body for name in sorted(placed) for body in placed[name]]


def write_files(folder: Path) -> None:
    """Write the messages to files of every type."""
    for name, messages in by_file().items():
        write, compress = FILES[name]
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(compress(write(messages)))


@dataclass
class Rows:
    """The rows of one path: accepted ones and the quarantine, as text that is equal where they are."""

    accepted: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def add(self, table: pa.Table) -> None:
        """Add the rows of one URN's table."""
        for row in table.to_pylist():
            data = {name: value for name, value in (row.get("data") or {}).items() if name not in _AS_TEXT}
            self.accepted.append(_text([*(row[name] for name in _ENVELOPE), data]))

    def add_refused(self, table: pa.Table) -> None:
        """Add the rows of the quarantine."""
        self.refused += [_text([row[name] for name in QUARANTINED]) for row in table.to_pylist()]

    @property
    def digest(self) -> str:
        """The hash of all rows, in no order."""
        return hashlib.sha256("\n".join([*sorted(self.accepted), "", *sorted(self.refused)]).encode()).hexdigest()


def _text(values: Iterable[Any]) -> str:
    return json.dumps(list(values), default=_plain, sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes | bytearray):
        return hashlib.sha256(value).hexdigest()
    assert not isinstance(value, float) or math.isfinite(value)
    return str(value)
