"""The fields that a schema marks as personal data: where each mark is, and who reads the field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from babelreg.model import Message, Registry
from babelreg.schema.annotations import Others, Path, written_annotations
from babelreg.schema.field_path import OTHERS, spelled
from babelreg.schema.pointer import Pointer

MARK = "x-gdpr-sensitive"


@dataclass(frozen=True, slots=True)
class Marked:
    """One field. ``path`` is empty for the whole data; ``pointer`` leads to the mark in the bundled schema.

    ``category`` is None where the mark is ``true``.
    """

    path: str
    pointer: Pointer
    category: str | None


@dataclass(frozen=True, slots=True)
class PersonalFields:
    """``fields`` in the order of their paths. ``complete`` is False where the schema is too large to follow."""

    fields: tuple[Marked, ...]
    complete: bool


def marks(schema: Mapping[str, Any]) -> PersonalFields:
    """Return every mark of a bundled schema on what a message may hold, in any branch or definition."""
    written, complete = written_annotations(schema, MARK)
    fields: dict[tuple[str, str | None], Marked] = {}
    for annotation in written:
        value = annotation.value
        if value is True or (isinstance(value, str) and value):
            path, category = _spelled(annotation.path), value if isinstance(value, str) else None
            fields.setdefault((path, category), Marked(path, annotation.pointer, category))
    ordered = sorted(fields.values(), key=lambda field: (field.path, field.category or ""))
    return PersonalFields(tuple(ordered), complete)


def _spelled(path: Path) -> str:
    return spelled(OTHERS if isinstance(step, Others) else step for step in path)


def readers(registry: Registry, message: Message, field: Marked) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the consumers that declare to read ``field``, and those that do not declare what they read."""
    reading, silent = [], []
    for name in registry.consumers(message.urn):
        service = registry.services.get(name)
        reads = [path for use in service.consumes if use.urn == message.urn for path in use.reads] if service else []
        if not reads:
            silent.append(name)
        elif any(_touches(path, field.path) for path in reads):
            reading.append(name)
    return tuple(reading), tuple(silent)


def _touches(path: str, field: str) -> bool:
    """Return True if reading ``path`` reads ``field`` or a part of it."""
    return not field or path == field or _within(path, field) or _within(field, path)


def _within(inner: str, outer: str) -> bool:
    return inner.startswith((f"{outer}.", f"{outer}["))
