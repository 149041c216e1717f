"""Coverage of fields by ``x-gdpr-sensitive``: their own mark, that of an enclosing object, or of every reference."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from babelreg.lint.schema.field import SchemaField, fields
from babelreg.lint.scope import Scope
from babelreg.schema.keywords import DEFINITIONS
from babelreg.schema.local_references import local_pointer
from babelreg.schema.pointer import Pointer

MARK = "x-gdpr-sensitive"
Unit = tuple[str, str]
"""A schema that a ``$ref`` can name: a file, and a name below its ``$defs`` or an empty one."""


class SensitivityMarks:
    """Marks in all schemas of a registry."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def owner(self, field: SchemaField) -> Pointer:
        """Return the pointer of the property that contains ``field``, such as a branch of its ``anyOf``."""
        pointer = field.pointer
        for end in range(len(pointer), 1, -1):
            if pointer[end - 1] == field.name and pointer[end - 2] == "properties":
                return pointer[:end]
        return pointer

    def covers(self, field: SchemaField) -> bool:
        """Return True when ``field`` is marked, as personal or as not personal."""
        mark = self._nearest_mark(field)
        if mark is None:
            mark = next((target[MARK] for target in self._scope.targets(field) if MARK in target), None)
        if mark is not None:
            return True
        is_root = field.message is not None and not _unit(field)[1]
        return not is_root and _unit(field) not in self._exposed

    def _nearest_mark(self, field: SchemaField) -> Any:
        """Return the value of the nearest mark on ``field`` or an enclosing schema, or None."""
        base = 1 if field.message else 0
        schema, nearest = field.root, _mark(field.root)
        for step in field.pointer[base:]:
            try:
                schema = schema[step]
            except (KeyError, IndexError, TypeError):
                break
            mark = _mark(schema)
            nearest = nearest if mark is None else mark
        return nearest

    @cached_property
    def _exposed(self) -> frozenset[Unit]:
        """Schemas that data can reach without a mark on the way; includes those that nothing refers to."""
        links: dict[Unit, list[tuple[Unit, bool]]] = {}
        referred: set[Unit] = set()
        units: set[Unit] = set()
        roots: set[Unit] = set()
        for field in self._fields():
            unit = _unit(field)
            units.add(unit)
            if field.message is not None and not unit[1]:
                roots.add(unit)
            reference = field.schema.get("$ref")
            if isinstance(reference, str):
                target = _target(field, reference)
                units.add(target)
                if target != unit:
                    referred.add(target)
                    links.setdefault(unit, []).append((target, self._nearest_mark(field) is not None))
        pending = [*roots, *(unit for unit in units - roots if unit not in referred)]
        exposed = set(pending)
        while pending:
            for target, marked in links.get(pending.pop(), ()):
                if not marked and target not in exposed:
                    exposed.add(target)
                    pending.append(target)
        return frozenset(exposed)

    def _fields(self) -> Iterator[SchemaField]:
        """Yield all fields of the registry, also those outside the part to report on."""
        registry = self._scope.registry
        for message in registry.messages:
            if message.data is not None:
                yield from fields(message.data, message.source, ("data",), message)
        for fragment in registry.fragments.values():
            yield from fields(fragment.schema, fragment.source, (), None)


def _mark(schema: Any) -> Any:
    """Return the mark of ``schema`` itself or in a part of its ``allOf``; a property of that name is not a mark."""
    if not isinstance(schema, Mapping):
        return None
    mark = schema.get(MARK)
    if mark is not None and not isinstance(mark, dict):
        return mark
    parts = schema.get("allOf")
    if isinstance(parts, list):
        return next((p[MARK] for p in parts if isinstance(p, Mapping) and isinstance(p.get(MARK), str | bool)), None)
    return None


def _unit(field: SchemaField) -> Unit:
    inside = field.pointer[1 if field.message else 0 :]
    named = len(inside) > 1 and inside[0] in DEFINITIONS
    return field.source.path, str(inside[1]) if named else ""


def _target(field: SchemaField, reference: str) -> Unit:
    file, _, fragment = reference.partition("#")
    path = field.source.path
    if file:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(file)))
    steps = local_pointer(f"#{fragment}") or ()
    return path, str(steps[1]) if len(steps) > 1 and steps[0] in DEFINITIONS else ""
