"""Which fields ``x-gdpr-sensitive`` marks: itself, by an object around it, or where every reference to it is marked."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from babelreg.lint.schema.field import SchemaField, fields
from babelreg.lint.scope import Scope
from babelreg.schema.keywords import DEFINITIONS
from babelreg.schema.pointer import Pointer, parse

__all__ = ["MARK", "SensitivityMarks"]

MARK = "x-gdpr-sensitive"
Unit = tuple[str, str]
"""A schema that a ``$ref`` leads to as a whole: a file, with the name below its ``$defs`` or an empty one."""


class SensitivityMarks:
    """The marks of a whole registry."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def owner(self, field: SchemaField) -> Pointer:
        """The pointer of the property that ``field`` is a part of: that of a branch of ``anyOf`` is around it."""
        pointer = field.pointer
        for end in range(len(pointer), 1, -1):
            if pointer[end - 1] == field.name and pointer[end - 2] == "properties":
                return pointer[:end]
        return pointer

    def covers(self, field: SchemaField) -> bool:
        """True when ``field`` is marked, or said not to be personal."""
        said = self._said(field)
        if said is None:
            said = next((target[MARK] for target in self._scope.targets(field) if MARK in target), None)
        if said is not None:
            return True
        whole = field.message is not None and not _unit(field)[1]
        return not whole and _unit(field) not in self._exposed

    def _said(self, field: SchemaField) -> Any:
        """What the nearest mark on ``field`` or around it says, None when there is none."""
        base = 1 if field.message else 0
        here, said = field.root, _mark(field.root)
        for step in field.pointer[base:]:
            try:
                here = here[step]
            except (KeyError, IndexError, TypeError):
                break
            found = _mark(here)
            said = said if found is None else found
        return said

    @cached_property
    def _exposed(self) -> frozenset[Unit]:
        """The schemas that some data reaches without passing a mark; those that nothing refers to are among them."""
        links: dict[Unit, list[tuple[Unit, bool]]] = {}
        referred: set[Unit] = set()
        units: set[Unit] = set()
        roots: set[Unit] = set()
        for field in self._fields():
            here = _unit(field)
            units.add(here)
            if field.message is not None and not here[1]:
                roots.add(here)
            reference = field.schema.get("$ref")
            if isinstance(reference, str):
                target = _target(field, reference)
                units.add(target)
                if target != here:
                    referred.add(target)
                    links.setdefault(here, []).append((target, self._said(field) is not None))
        waiting = [*roots, *(unit for unit in units - roots if unit not in referred)]
        exposed = set(waiting)
        while waiting:
            for target, marked in links.get(waiting.pop(), ()):
                if not marked and target not in exposed:
                    exposed.add(target)
                    waiting.append(target)
        return frozenset(exposed)

    def _fields(self) -> Iterator[SchemaField]:
        """Every field, also those that nothing is to be reported on."""
        registry = self._scope.registry
        for message in registry.messages:
            if message.data is not None:
                yield from fields(message.data, message.source, ("data",), message)
        for fragment in registry.fragments.values():
            yield from fields(fragment.schema, fragment.source, (), None)


def _mark(schema: Any) -> Any:
    """The mark that stands at ``schema`` itself, or in a part of its ``allOf``; a property of that name is none."""
    if not isinstance(schema, Mapping):
        return None
    said = schema.get(MARK)
    if said is not None and not isinstance(said, dict):
        return said
    parts = schema.get("allOf")
    if isinstance(parts, list):
        return next((p[MARK] for p in parts if isinstance(p, Mapping) and isinstance(p.get(MARK), str | bool)), None)
    return None


def _unit(field: SchemaField) -> Unit:
    inside = field.pointer[1 if field.message else 0 :]
    named = len(inside) > 1 and inside[0] in DEFINITIONS
    return field.source.path, str(inside[1]) if named else ""


def _target(field: SchemaField, reference: str) -> Unit:
    file, _, fragment = unquote(reference).partition("#")
    path = field.source.path
    if file:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
    try:
        steps = parse(fragment)
    except ValueError:
        steps = ()
    return path, str(steps[1]) if len(steps) > 1 and steps[0] in DEFINITIONS else ""
