"""A declared message and its traffic: which fields, members of enumerations and aliases were sent, and how often."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from babelreg.analysis.drift.field_traffic import FieldTraffic, Steps, field_traffic
from babelreg.analysis.sketch.text_detection import digest_of
from babelreg.analysis.sketch.traffic_sketch import MessageSketch
from babelreg.containment.fields import DeclaredProperty, declared, schemas_at
from babelreg.model import Message
from babelreg.model.coverage import MessageCoverage, class_of, volume_class
from babelreg.schema.dialects import is_valid_schema
from babelreg.schema.field_path import EACH, parts
from babelreg.schema.pointer import Pointer

_ANY_ITEM = 10_000
"""An index of an array behind all that ``prefixItems`` describes."""


class SentField(NamedTuple):
    """A declared field and its traffic, None where the sketch does not tell it."""

    field: DeclaredProperty
    traffic: FieldTraffic | None


class SentMember(NamedTuple):
    """A text of an enumeration and how often it was sent. ``pointer`` leads to it in the bundled schema."""

    field: DeclaredProperty
    value: str
    pointer: Pointer
    times: int


class MessageTraffic:
    """A declared message, and the sketch of its traffic; None where none was recorded.

    ``names`` counts the messages by the name that was sent: the URN or an alias.
    """

    def __init__(self, message: Message, sketch: MessageSketch | None, names: Mapping[str, int]) -> None:
        self.message = message
        self.sketch = sketch
        self.names = names

    @property
    def count(self) -> int:
        """Number of messages."""
        return self.sketch.count if self.sketch is not None else 0

    @cached_property
    def has_schema(self) -> bool:
        """True where the message has a schema that can be used."""
        return self.message.schema is not None and is_valid_schema(self.message.schema)

    @cached_property
    def _named(self) -> Mapping[Steps, Collection[str]]:
        named: dict[Steps, set[str]] = {}
        for field in self._declared.values():
            named.setdefault(field.steps[:-1], set()).add(field.name)
        return named

    @cached_property
    def _declared(self) -> Mapping[str, DeclaredProperty]:
        return declared(self.message.schema) if self.has_schema else {}

    @cached_property
    def fields(self) -> tuple[SentField, ...]:
        """The declared fields by path."""
        return tuple(SentField(field, self.at(field.steps)) for _, field in sorted(self._declared.items()))

    def at_path(self, path: str) -> FieldTraffic | None:
        """Return the traffic at a path as people write it; see :meth:`at`."""
        return self.at(parts(path))

    def at(self, steps: Steps) -> FieldTraffic | None:
        """Return the traffic at ``steps``, None where the sketch does not tell it; nothing without a message."""
        if self.sketch is None:
            return FieldTraffic(0, None)
        return field_traffic(self.sketch.data, steps, self._named)

    def members(self) -> Iterator[SentMember]:
        """Yield the texts of enumerations, where the sketch has all texts that were sent there."""
        for field, traffic in self.fields:
            if traffic is None:
                continue
            texts = traffic.values.texts if traffic.values is not None else {}
            if texts is None and traffic.values is not None and traffic.values.strings:
                continue
            seen = texts or {}
            for value, pointer in _enumerated(field).items():
                yield SentMember(field, value, pointer, seen.get(value, 0) + seen.get(digest_of(value), 0))

    def absent(self, path: str) -> FieldTraffic | None:
        """Return the traffic where ``path``, as people write it, first leads to nothing; None where it leads on.

        None also where the sketch does not tell it.
        """
        steps = parts(path)
        for depth in range(1, len(steps) + 1):
            traffic = self.at(steps[:depth])
            if traffic is None or not traffic.present:
                return traffic
        return None

    def is_required(self, field: DeclaredProperty) -> bool:
        """Return True where some subschema, perhaps one of several alternatives, requires the field."""
        instance = [_ANY_ITEM if step is EACH else str(step) for step in field.steps[:-1]]
        parts_above = schemas_at(self.message.schema, instance)
        return any(field.name in part.schema.get("required", ()) for part in parts_above)

    def coverage(self) -> MessageCoverage:
        """Return the classes of all counts that the sketch tells."""
        enums: dict[str, dict[str, str]] = {}
        for member in self.members():
            enums.setdefault(member.field.path, {})[member.value] = class_of(member.times)
        return MessageCoverage(
            volume_class(self.count),
            {
                sent.field.path: class_of(sent.traffic.present, sent.traffic.holders)
                for sent in self.fields
                if sent.traffic is not None
            },
            enums,
            {alias: class_of(self.names.get(alias, 0)) for alias in self.message.aliases},
        )


def _enumerated(field: DeclaredProperty) -> dict[str, Pointer]:
    """Return the texts that an enumeration of ``field`` lists, in one of its declarations, each with its pointer."""
    members: dict[str, Pointer] = {}
    for node in field.nodes:
        one = DeclaredProperty(field.path, field.steps, (node,)).node_with("enum")
        listed = one.schema["enum"] if one is not None else ()
        if one is not None and isinstance(listed, list):
            for index, value in enumerate(listed):
                if isinstance(value, str):
                    members.setdefault(value, (*one.pointer, "enum", index))
    return members
