"""Messages that the schemas of a registry refuse, counted by what refuses them.

A sketch does not decide every keyword: what is still refused after a widening is to be edited by hand. For each way in
which messages are refused, one message is kept in memory and validated again by the edited registry. Counts of several
processes are merged.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from babelreg.containment.validator import Refusal, SchemaValidator
from babelreg.contract import views
from babelreg.contract.envelope import Envelope
from babelreg.errors import SchemaError
from babelreg.finding import Place
from babelreg.model import Message, Registry
from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import identify
from babelreg.schema.pointer import Pointer
from babelreg.schema.types import kind_of

_MOST_WAYS = 1000


class RefusedAt(NamedTuple):
    """A keyword that refuses messages: its place, and its pointer in the file."""

    place: Place
    pointer: Pointer
    keyword: str


@dataclass
class _Way:
    """Messages that are refused by the same keywords: one of them, and their number."""

    data: Any
    count: int = 0


@dataclass
class RefusalCounts:
    """Refused messages by URN and by what refuses them; plain data.

    ``uncounted`` is the number of those that are refused in one more way than can be told apart, or in one that no
    validator can name.
    """

    ways: dict[tuple[str, frozenset[tuple[Any, ...]]], _Way] = field(default_factory=dict)
    uncounted: int = 0

    def add(self, key: tuple[str, frozenset[tuple[Any, ...]]], data: Any, count: int = 1) -> None:
        """Add messages that are refused in one way, such as one with ``data``."""
        way = self.ways.get(key)
        if way is None:
            if len(self.ways) >= _MOST_WAYS:
                self.uncounted += count
                return
            way = self.ways[key] = _Way(data)
        way.count += count

    def merge(self, other: RefusalCounts) -> None:
        """Add the messages of ``other``."""
        self.uncounted += other.uncounted
        for key, way in other.ways.items():
            self.add(key, way.data, way.count)


class DataRefusals:
    """Counts of the messages that ``registry`` declares and refuses, as their readers would.

    It is pickled with the registry, and without counts.
    """

    def __init__(self, registry: Registry, validators: MessageValidators | None = None) -> None:
        self._validators = validators or MessageValidators(registry)
        self.counts = RefusalCounts()

    def __reduce__(self) -> tuple[Any, ...]:
        return DataRefusals, (self._validators.registry,)

    def restarted(self) -> DataRefusals:
        """Return the same without counts; the validators are shared."""
        return DataRefusals(self._validators.registry, self._validators)

    def add(self, envelope: Envelope) -> None:
        """Judge a message; those that the registry does not declare do not count."""
        urn = self._validators.registry.resolve(envelope.urn)
        validator = self._validators.of(urn)
        if validator is None or validator.accepts(envelope.data):
            return
        try:
            kinds = frozenset(_kind(refusal, envelope.data) for refusal in validator.refusals(envelope.data))
        except UnicodeEncodeError:  # an unpaired surrogate, which cannot be part of an error
            self.counts.uncounted += 1
        else:
            self.counts.add((urn, kinds), envelope.data)

    def remaining(self, edited: Registry) -> tuple[int, Counter[RefusedAt]]:
        """Return how many messages ``edited`` still refuses, and how many of them each keyword does."""
        validators = MessageValidators(edited)
        total, places = self.counts.uncounted, Counter[RefusedAt]()
        for (urn, _), way in self.counts.ways.items():
            validator = validators.of(urn)
            if validator is None or validator.accepts(way.data):
                continue
            total += way.count
            for refused in {validator.place(refusal) for refusal in validator.refusals(way.data)}:
                places[refused] += way.count
        return total, places


def _kind(refusal: Refusal, data: Any) -> tuple[Any, ...]:
    """Return what tells a refusal from others: a value's kind, or the value where an enumeration may get it."""
    value = pointers.find(data, refusal.instance)
    told = value if refusal.keyword == "enum" and isinstance(value, str) else kind_of(value)
    return refusal.pointer, refusal.keyword, refusal.missing, told


class MessageValidators:
    """The validators of the messages of ``registry`` by URN, made when they are asked for."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._by_urn: dict[str, MessageValidator | None] = {}

    def of(self, urn: str) -> MessageValidator | None:
        """Return the validator of ``urn``; None where no schema of it is declared, or none that can be used."""
        if urn not in self._by_urn:
            message = self.registry.by_urn.get(urn)
            self._by_urn[urn] = None if message is None or message.schema is None else self._made(message)
        return self._by_urn[urn]

    def _made(self, message: Message) -> MessageValidator | None:
        try:
            return MessageValidator(message, self.registry.compatibility(message.context).reader)
        except SchemaError:
            return None


class MessageValidator:
    """The schema of one message, in the view of readers and as written."""

    def __init__(self, message: Message, reader: str) -> None:
        self._message = message
        dialect = identify(message.schema)
        view = views.both(message.schema, reader, dialect).reader
        self._view = SchemaValidator(view, dialect, formats=True)
        self._written = SchemaValidator(message.schema, dialect, formats=True)
        self.accepts = self._view.accepts

    def refusals(self, data: Any) -> list[Refusal]:
        """Return the refusals by the schema as written that readers share."""
        every = self._written.refusals(data)
        if len(every) < 2:  # then it is that of readers, too, if they refuse at all
            return every
        shared = {(each.instance, each.keyword, each.missing) for each in self._view.refusals(data)}
        return [each for each in every if (each.instance, each.keyword, each.missing) in shared] or every

    def place(self, refusal: Refusal) -> RefusedAt:
        source, at = self._message.located(self._resolved(refusal.pointer))
        return RefusedAt(source.place(at, key=True), at, refusal.keyword)

    def located(self, pointer: Pointer) -> tuple[str, Pointer]:
        """Return file and pointer of the keyword that a refusal's ``pointer`` leads to through references."""
        source, at = self._message.located(self._resolved(pointer))
        return source.path, at

    def _resolved(self, pointer: Pointer) -> Pointer:
        """Return ``pointer`` without the references that it goes through."""
        root = self._message.schema
        at: Pointer = ()
        for step in pointer:
            value = pointers.find(root, at)
            if step == "$ref" and isinstance(value, dict) and isinstance(value.get("$ref"), str):
                at = pointers.parse(pointers.unquoted(value["$ref"][1:]))
            else:
                at = (*at, step)
        return at
