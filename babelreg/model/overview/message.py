"""A message in short, without its schema: what a list, a search and a page at the prompt show."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from babelreg.model.message import Message
from babelreg.model.registry import Registry
from babelreg.model.topology import Topology, topology
from babelreg.schema.field_list import Field, field_list


@dataclass(frozen=True, slots=True)
class MessageOverview:
    """A message in short. ``path`` and ``line`` are those of its file, relative to the registry.

    ``reads`` are the fields that each consumer declares to use; a consumer without any has not stated them.
    ``reads_from`` is the queue that each consumer reads, ``expects`` the schemas that it relies on, by path, as JSON.
    """

    urn: str
    context: str
    kind: str
    status: str
    owner: str
    queue: str
    description: str
    supersedes: str
    superseded_by: str
    sunset: str
    producers: tuple[str, ...]
    consumers: tuple[str, ...]
    reads: dict[str, tuple[str, ...]]
    reads_from: dict[str, str]
    path: str
    fields: tuple[Field, ...]
    example: Any = None
    aliases: tuple[str, ...] = ()
    expects: dict[str, dict[str, str]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the overview as JSON; texts that are not stated are null."""
        values = {name: getattr(self, name) for name in self.__slots__}
        values = {name: value or None if isinstance(value, str) else value for name, value in values.items()}
        return {**values, "fields": [field._asdict() for field in self.fields]}


def overviews(registry: Registry) -> list[MessageOverview]:
    """Return the messages of ``registry`` in short, sorted by context, name and version; malformed URNs come last."""
    messages = sorted(registry.messages, key=_order)
    known = topology(registry)
    return [_overview(registry, message, known) for message in messages]


def _order(message: Message) -> tuple[Any, ...]:
    parsed = message.parsed
    return (1, message.urn) if parsed is None else (0, parsed.context, parsed.name, parsed.version)


def _overview(registry: Registry, message: Message, known: Topology) -> MessageOverview:
    successor = registry.successor(message.urn)
    consumers = registry.consumers(message.urn)
    return MessageOverview(
        message.urn,
        message.context,
        message.kind or "",
        message.status,
        message.owner or "",
        message.queue or "",
        message.description or "",
        message.supersedes or "",
        successor.urn if successor else "",
        message.sunset or "",
        tuple(message.producers),
        consumers,
        {name: reads for name in consumers if (reads := _reads(registry, name, message.urn))},
        {each.service: each.queue for each in known.of_urn(message.urn)},
        message.source.path,
        tuple(field_list(message.schema)) if message.schema is not None else (),
        message.examples[0].data if message.examples else None,
        message.aliases,
        {
            service: {path: json.dumps(each.schema, ensure_ascii=False) for path, each in expected.items()}
            for service, expected in registry.expectations.get(message.urn, {}).items()
        },
    )


def _reads(registry: Registry, service: str, urn: str) -> tuple[str, ...]:
    declared = registry.services.get(service)
    uses: Sequence[tuple[str, ...]] = [use.reads for use in declared.consumes if use.urn == urn] if declared else []
    return tuple(dict.fromkeys(path for reads in uses for path in reads))
