"""The settings of ``wires.json``: where a message has its name, identity, time and data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from babelreg.wire.format import WireError
from babelreg.wire.mapping import UrnMapping

_EXTENSIONS = re.compile(r"(?:\.(?:gz|zst|zstd))?\Z")
_KINDS = re.compile(r"\.(?:jsonl|ndjson|json|log|txt|frames)\Z", re.IGNORECASE)


class MessageLayout(NamedTuple):
    """Paths of members; None where the settings name none. ``origin`` is ``topic`` or ``file`` where no member names
    the message."""

    urn: str | None
    origin: str | None
    id: str | None
    time: str | None
    data: str | None


def layout_of(mapping: UrnMapping) -> MessageLayout:
    """Return the settings in a mapping.

    Raises WireError where they do not say which message it is.
    """
    urns = mapping.urns
    field = urns.get(("urn", "field"))
    origin = "topic" if ("urn", "topic") in urns else "file" if ("urn", "file") in urns else None
    if field is None and origin is None:
        text = "wires.json does not say where a message has its URN: wires: {json: {urn: {field: type}}}"
        raise WireError("no_settings", text)
    return MessageLayout(field, origin, urns.get(("id",)), urns.get(("time",)), urns.get(("data",)))


def resolved(name: str, mapping: Mapping[tuple[str, ...], str]) -> str:
    """Return the URN that a name stands for; the name itself where the registry declares none."""
    return mapping.get(("name", name), name)


@lru_cache(maxsize=1024)
def candidates(source: str, origin: str) -> tuple[str, ...]:
    """Return the names that a message may have by the place it was read from, the likeliest first.

    A topic is its own name. Of a file these are its name without extensions, and the folders that hold it, the nearest
    first; of a topic in a folder, the folders.
    """
    *folders, name = source.replace("\\", "/").split("/")
    stem = _KINDS.sub("", _EXTENSIONS.sub("", name)) if origin == "file" else name
    return tuple(dict.fromkeys(_names(stem, folders, origin)))


def _names(stem: str, folders: list[str], origin: str) -> Iterator[str]:
    if origin == "file" or not folders:
        yield stem
    yield from (folder for folder in reversed(folders) if folder not in ("", ".", ".."))
    yield stem
