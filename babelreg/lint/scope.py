"""Input of one run of lint: the registry, the part of it to report on, and its fields, collected once."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from babelreg.lint.schema.example_validator import ExampleValidator
from babelreg.lint.schema.field import (
    SchemaField,
    fields,
    types_of,
    words,
)
from babelreg.lint.schema.plain_verdicts import Verdicts, documents_of, plain_verdicts
from babelreg.lint.waivers import LintWaivers
from babelreg.model import Fragment, Message, Registry, Service, Urn, UrnError
from babelreg.schema.local_references import local_target
from babelreg.schema.simplify import without_ref_siblings
from babelreg.suggest import likely_typo

MAX_GUESSES = 50
"""A guess compares with every known name; a registry with more unknown names than this gets no further guesses."""
_MAX_HOPS = 32
Wanted = Callable[[str], bool]


class Scope:
    """The ``registry``, and as properties the part of it to report on.

    ``wanted`` tells whether to report findings in a file, by its path. ``rule_ids`` are all rules of lint. ``today`` is
    compared with sunsets and expiry dates: an input, so that the same input gives the same findings. ``waivers`` are
    those of the registry.
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
        self._sibling_words: dict[int, frozenset[str]] = {}  # by the id of the siblings, which the fields keep alive

    def nearest(self, word: str, candidates: Iterable[str]) -> str | None:
        """Return the likely one of ``candidates``, or None; always None after :data:`MAX_GUESSES` calls.

        For an alias it is the URN: files of the registry name messages by their URNs.
        """
        urn = self.registry.aliases.get(word)
        if urn is not None and urn in (candidates := tuple(candidates)):
            return urn
        self._guesses += 1
        return likely_typo(word, candidates) if self._guesses <= MAX_GUESSES else None

    @cached_property
    def defective(self) -> frozenset[str]:
        """Paths of the files that could not be read."""
        return frozenset(defect.place.path for defect in self.registry.defects)

    @cached_property
    def paths(self) -> frozenset[str]:
        """Paths of the files of the registry that a finding can be in."""
        registry = self.registry
        paths = {part.source.path for part in registry.contexts.values()} | self.defective
        paths.update(part.source.path for part in registry.services.values())
        paths.update(part.source.path for part in registry.fragments.values())
        paths.update(path for message in registry.messages for path in files_of(message))
        paths.update(source.path for source in (registry.settings.source, registry.settings.lint_source) if source)
        return frozenset(paths)

    def path_to_paste(self, path: str) -> str:
        """Return ``path`` below the registry folder as given, for a fix to paste where the command was run."""
        return posixpath.normpath(posixpath.join(self.registry.root.replace("\\", "/"), path))

    def unreadable(self, urn: str) -> bool:
        """Return True when the file that should declare ``urn`` has a defect or misspells its URN."""
        try:
            return Urn.parse(urn).path in self._doubtful
        except UrnError:
            return False

    @cached_property
    def _doubtful(self) -> frozenset[str]:
        return self.defective | {m.source.path for m in self.registry.messages if m.parsed is None}

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """Messages to report on: those whose file, or a file of whose examples, is wanted."""
        return tuple(m for m in self.registry.messages if any(map(self.wanted, files_of(m))))

    @cached_property
    def fragments(self) -> tuple[Fragment, ...]:
        """Shared schemas to report on."""
        return tuple(f for f in self.registry.fragments.values() if self.wanted(f.source.path))

    @cached_property
    def services(self) -> tuple[Service, ...]:
        """Services to report on."""
        return tuple(s for s in self.registry.services.values() if self.wanted(s.source.path))

    def validator(self, message: Message) -> ExampleValidator:
        """Return the validator of documents as data of ``message``; made once."""
        path = message.source.path
        if path not in self._validators:
            strict, documents = self._is_strict(message), documents_of(message)
            verdicts = self._plain_verdicts.get(path)
            validator = ExampleValidator(message.schema, strict=strict, documents=documents, verdicts=verdicts)
            self._validators[path] = validator
        return self._validators[path]

    def has_plain_schema(self, message: Message) -> bool:
        """Return True for a message that is reported on in whose schema one subschema applies to each value."""
        return message.source.path in self._plain_verdicts

    @cached_property
    def _plain_verdicts(self) -> Mapping[str, Verdicts]:
        return plain_verdicts(message for message in self.messages if not self._is_strict(message))

    def _is_strict(self, message: Message) -> bool:
        return self.registry.compatibility(message.context).reader == "strict"

    @cached_property
    def fields(self) -> tuple[SchemaField, ...]:
        """Fields of the schemas to report on, as written, in the order of the files."""
        return tuple(self._fields())

    def _fields(self) -> Iterator[SchemaField]:
        for message in self.messages:
            if message.data is not None:
                yield from fields(message.data, message.source, ("data",), message)
        for fragment in self.fragments:
            yield from fields(fragment.schema, fragment.source, (), None)

    def fields_with(self, *keywords: str) -> Sequence[SchemaField]:
        """Return the fields whose schema has one of ``keywords``, each once."""
        fields: Sequence[SchemaField] = ()
        for index, keyword in enumerate(keywords):
            if group := self._by_keyword.get(keyword):
                before = frozenset(keywords[:index])
                fields = [*fields, *(f for f in group if before.isdisjoint(f.schema))] if fields else group
        return fields

    @property
    def keywords(self) -> Sequence[str]:
        """Keywords of all fields, in order of first use."""
        return list(self._by_keyword)

    @cached_property
    def _by_keyword(self) -> Mapping[str, Sequence[SchemaField]]:
        by_keyword: dict[str, list[SchemaField]] = {}
        for field in self.fields:
            for keyword in field.schema:
                by_keyword.setdefault(keyword, []).append(field)
        return by_keyword

    def sibling_words(self, field: SchemaField) -> frozenset[str]:
        """Return the words of all property names in the object of ``field``, computed once per object."""
        key = id(field.siblings)
        if key not in self._sibling_words:
            self._sibling_words[key] = frozenset(word for name in field.siblings for word in words(str(name)))
        return self._sibling_words[key]

    def types(self, field: SchemaField) -> tuple[str, ...]:
        """Return the JSON types of ``field`` without ``null``: its own, else those of the target of its ``$ref``."""
        if "type" in field.schema or "$ref" not in field.schema:
            return types_of(field.schema)
        return next((types_of(target) for target in self.targets(field) if "type" in target), ())

    def targets(self, field: SchemaField) -> Iterator[Mapping[str, Any]]:
        """Yield the target of the ``$ref`` of ``field``, then the target of the ``$ref`` there, and so on."""
        schema, root, path = field.schema, field.root, field.source.path
        for _ in range(_MAX_HOPS):
            reference = schema.get("$ref")
            if not isinstance(reference, str):
                return
            file, _, fragment = reference.partition("#")
            if file:
                path = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(file)))
                opened = self.registry.fragments.get(path)
                root = without_ref_siblings(opened.schema) if opened else None
            target = local_target(root, f"#{fragment}")
            if target is None or not isinstance(target[1], dict):
                return
            schema = target[1]
            yield schema

    def users(self, field: SchemaField) -> tuple[Message, ...]:
        """Return the messages whose schema contains ``field``, directly or by references to its fragment."""
        if field.message is not None:
            return (field.message,)
        return self._users.get(field.source.path, ())

    def consumer_in(self, lang: str, field: SchemaField) -> str | None:
        """Return the name of a service in ``lang`` that consumes a message with ``field``, or None."""
        services = self.registry.services
        for message in self.users(field):
            for name in self.registry.consumers(message.urn):
                if name in services and services[name].lang == lang:
                    return name
        return None

    @cached_property
    def _users(self) -> Mapping[str, tuple[Message, ...]]:
        users: dict[str, list[Message]] = {}
        for message in self.registry.messages:
            for source in message.origins.values():
                users.setdefault(source.path, []).append(message)
        return {path: tuple(messages) for path, messages in users.items()}


def utc_day() -> date:
    """Return the present day in UTC."""
    return datetime.now(UTC).date()


def files_of(message: Message) -> set[str]:
    """Return the paths of the file of a message and of the files of its examples."""
    return {message.source.path, *(example.source.path for example in message.examples)}
