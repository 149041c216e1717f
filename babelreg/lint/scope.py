"""What one run of lint looks at: the whole registry, the part to report on, and its fields, gathered once."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from babelreg.lint.schema.example_validator import ExampleValidator, documents_of
from babelreg.lint.schema.field import (
    SchemaField,
    fields,
    types_of,
    words,
)
from babelreg.lint.waivers import LintWaivers
from babelreg.model import Fragment, Message, Registry, Service, Urn, UrnError
from babelreg.schema import pointer
from babelreg.schema.simplify import without_ref_siblings
from babelreg.suggest import likely_typo

__all__ = ["Scope", "files_of", "utc_day"]

MOST_GUESSES = 50
"""A guess compares with every name there is; whoever has that many unknown names needs no guesses."""
_MAX_HOPS = 32
Wanted = Callable[[str], bool]


class Scope:
    """``registry`` is everything; the properties are the part that findings are wanted for.

    ``wanted`` says whether findings in a file of that path are wanted. ``rule_ids`` are all that lint knows. ``today``
    is the day that sunsets and the like are judged by: an input, so that the same input has the same verdict.
    ``waivers`` are those of the registry, and what they have hidden so far.
    """

    def __init__(
        self,
        registry: Registry,
        wanted: Wanted = lambda path: True,
        rule_ids: frozenset[str] = frozenset(),
        today: date | None = None,
    ) -> None:
        self.registry = registry
        self.wanted = wanted
        self.rule_ids = rule_ids
        self.today = today or utc_day()
        self.waivers = LintWaivers()
        self._guesses = 0
        self._validators: dict[str, ExampleValidator] = {}
        self._words_beside: dict[int, frozenset[str]] = {}  # by the id of the siblings, which the fields keep

    def nearest(self, word: str, candidates: Iterable[str]) -> str | None:
        """The one of ``candidates`` that was probably meant, or None; None always after :data:`MOST_GUESSES`."""
        self._guesses += 1
        return likely_typo(word, candidates) if self._guesses <= MOST_GUESSES else None

    @cached_property
    def defective(self) -> frozenset[str]:
        """The paths of all files with a defect: they may be there, only nobody could read them."""
        return frozenset(defect.place.path for defect in self.registry.defects)

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of all files of the registry that a finding can be in."""
        held = self.registry
        found = {part.source.path for part in held.contexts.values()} | self.defective
        found.update(part.source.path for part in held.services.values())
        found.update(part.source.path for part in held.fragments.values())
        found.update(path for message in held.messages for path in files_of(message))
        found.update(source.path for source in (held.settings.source, held.settings.lint_source) if source)
        return frozenset(found)

    def openable(self, path: str) -> str:
        """``path`` with the registry folder before it, for a fix that is pasted where the command was run."""
        return posixpath.normpath(posixpath.join(self.registry.root.replace("\\", "/"), path))

    def unreadable(self, urn: str) -> bool:
        """True when the file that should declare ``urn`` has a defect or misspells its URN: it may mean this one."""
        try:
            return Urn.parse(urn).path in self._doubtful
        except UrnError:
            return False

    @cached_property
    def _doubtful(self) -> frozenset[str]:
        return self.defective | {m.source.path for m in self.registry.messages if m.parsed is None}

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The messages to report on: all whose own file, or a file of their examples, is wanted."""
        return tuple(m for m in self.registry.messages if any(map(self.wanted, files_of(m))))

    @cached_property
    def fragments(self) -> tuple[Fragment, ...]:
        """The shared schemas to report on."""
        return tuple(f for f in self.registry.fragments.values() if self.wanted(f.source.path))

    @cached_property
    def services(self) -> tuple[Service, ...]:
        """The services to report on."""
        return tuple(s for s in self.registry.services.values() if self.wanted(s.source.path))

    def validator(self, message: Message) -> ExampleValidator:
        """Return the validator of documents as data of ``message``; made once."""
        if message.source.path not in self._validators:
            strict = self.registry.compatibility(message.context).reader == "strict"
            validator = ExampleValidator(message.schema, strict=strict, documents=documents_of(message))
            self._validators[message.source.path] = validator
        return self._validators[message.source.path]

    @cached_property
    def fields(self) -> tuple[SchemaField, ...]:
        """Every field of every schema to report on, as written, in the order of the files."""
        return tuple(self._fields())

    def _fields(self) -> Iterator[SchemaField]:
        for message in self.messages:
            if message.data is not None:
                yield from fields(message.data, message.source, ("data",), message)
        for fragment in self.fragments:
            yield from fields(fragment.schema, fragment.source, (), None)

    def having(self, *keywords: str) -> Sequence[SchemaField]:
        """The fields whose schema has one of ``keywords``, each once: most rules are about few of them."""
        if len(keywords) == 1:
            return self._by_keyword.get(keywords[0], ())
        found = {id(field): field for keyword in keywords for field in self._by_keyword.get(keyword, ())}
        return list(found.values())

    @property
    def keywords(self) -> Sequence[str]:
        """Every keyword of any field, in the order they are met."""
        return list(self._by_keyword)

    @cached_property
    def _by_keyword(self) -> Mapping[str, Sequence[SchemaField]]:
        found: dict[str, list[SchemaField]] = {}
        for field in self.fields:
            for keyword in field.schema:
                found.setdefault(keyword, []).append(field)
        return found

    def words_beside(self, field: SchemaField) -> frozenset[str]:
        """The words of the names beside ``field``, its own included; made once for all fields of an object."""
        key = id(field.siblings)
        if key not in self._words_beside:
            self._words_beside[key] = frozenset(word for name in field.siblings for word in words(str(name)))
        return self._words_beside[key]

    def types(self, field: SchemaField) -> tuple[str, ...]:
        """The JSON types of ``field`` without ``null``: its own, else those of what its ``$ref`` leads to."""
        if "type" in field.schema or "$ref" not in field.schema:
            return types_of(field.schema)
        return next((types_of(target) for target in self.targets(field) if "type" in target), ())

    def targets(self, field: SchemaField) -> Iterator[Mapping[str, Any]]:
        """What the ``$ref`` of ``field`` leads to, then what the one there leads to, and so on."""
        schema, root, path = field.schema, field.root, field.source.path
        for _ in range(_MAX_HOPS):
            reference = schema.get("$ref")
            if not isinstance(reference, str):
                return
            file, _, fragment = unquote(reference).partition("#")
            if file:
                path = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
                opened = self.registry.fragments.get(path)
                root = without_ref_siblings(opened.schema) if opened else None
            try:
                schema = pointer.find(root, pointer.parse(fragment))
            except (KeyError, ValueError):
                return
            if not isinstance(schema, dict):
                return
            yield schema

    def users(self, field: SchemaField) -> tuple[Message, ...]:
        """The messages whose schema holds ``field``: its own, or all that refer to its fragment at any remove."""
        if field.message is not None:
            return (field.message,)
        return self._users.get(field.source.path, ())

    @cached_property
    def _users(self) -> Mapping[str, tuple[Message, ...]]:
        found: dict[str, list[Message]] = {}
        for message in self.registry.messages:
            for source in message.origins.values():
                found.setdefault(source.path, []).append(message)
        return {path: tuple(messages) for path, messages in found.items()}


def utc_day() -> date:
    """The day it is in UTC, wherever the machine stands."""
    return datetime.now(UTC).date()


def files_of(message: Message) -> set[str]:
    """The paths of the files that make up one message: its own, and those of its examples."""
    return {message.source.path, *(example.source.path for example in message.examples)}
