"""The AsyncAPI document of a registry, or of one of its services."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any

from babelreg.contract.emit import LANGUAGES, EmitError
from babelreg.errors import UsageError
from babelreg.gen.example_envelope import DEFAULT_QUEUE, example_envelope
from babelreg.gen.schema_document import document_inputs, document_path, exported_schema
from babelreg.gen.target import digest, generated_messages
from babelreg.gen.targets.asyncapi.components import Components, component_name
from babelreg.model import Message, Registry, Topology, topology
from babelreg.model.wire_mapping import keys_by_urn, wire_mapping
from babelreg.schema.pointer import text
from babelreg.suggest import closest
from babelreg.wire.format import NATIVE, WireError
from babelreg.wire.formats import find
from babelreg.wire.mapping import UrnMapping

_META = "babelqueue.meta"
_UUID = {"type": "string", "format": "uuid"}


class AsyncApiDocument:
    """The document with the heading ``title``, of all services or of ``service`` alone.

    Raises UsageError if the registry does not know ``service``.
    """

    def __init__(
        self, registry: Registry, title: str, service: str | None, *, wire: str = NATIVE, closed_enums: bool = False
    ) -> None:
        self._registry = registry
        self._title = title
        self._service = service
        self._closed_enums = closed_enums
        self._wire = wire
        self._names = find(wire).names
        self._mapping = wire_mapping(registry, wire)
        self._keys = keys_by_urn(registry, wire)
        if self._names is not None and not self._keys:
            raise UsageError(
                f"no message is sent in {wire}", fix=f"set its names in babelreg.yaml: wires: {{{wire}: ...}}"
            )
        if service is not None and service not in self._service_names:
            near = closest(service, self._service_names)
            hint = (
                f"did you mean {near!r}?" if near else f"there are: {', '.join(sorted(self._service_names)) or 'none'}"
            )
            raise UsageError(f"no service {service!r} produces or consumes a message", fix=hint)

    def inputs(self) -> list[Any]:
        """Return all that the document depends on (JSON)."""
        services = [
            [s.name, s.owner, s.lang, s.repo, s.description, [use.urn for use in s.consumes]]
            for s in self._registry.services.values()
        ]
        contexts = [[context.name, context.description] for context in self._registry.contexts.values()]
        messages = [
            [*document_inputs(m), self._data(m), m.producers, self._readers(m), sorted(m.origins)]
            for m in self._messages
        ]
        named = [] if self._names is None else [self._wire, sorted(self._keys.items()), _listed(self._mapping)]
        return [self._title, self._service, services, contexts, messages, *named]

    def as_json(self) -> dict[str, Any]:
        """Return the document."""
        components = Components()
        messages = {_key(message): self._message(message, components) for message in self._messages}
        return {
            "asyncapi": "3.1.0",
            "info": self._info(),
            "defaultContentType": "application/json",
            "channels": self._channels(),
            "operations": dict(self._operations()),
            "components": {"messages": messages, "schemas": {_META: _meta_schema(), **components.schemas}},
        }

    @cached_property
    def _service_names(self) -> frozenset[str]:
        names = {name for m in generated_messages(self._registry) for name in (*m.producers, *self._consumers(m))}
        return frozenset(names)

    @cached_property
    def _messages(self) -> list[Message]:
        return [
            message
            for message in generated_messages(self._registry)
            if self._service is None or self._service in (*message.producers, *self._consumers(message))
        ]

    def _consumers(self, message: Message) -> tuple[str, ...]:
        return self._registry.consumers(message.urn)

    def _info(self) -> dict[str, Any]:
        title = self._title if self._service is None else f"{self._title}: {self._service}"
        info: dict[str, Any] = {"title": title, "version": digest(self.inputs())}
        service = self._registry.services.get(self._service or "")
        if service is not None and service.description:
            info["description"] = service.description
        names = dict.fromkeys(message.context for message in self._messages)
        tags = [_tag(name, self._registry) for name in sorted(names)]
        return {**info, "tags": tags} if tags else info

    @cached_property
    def _queues(self) -> dict[str, list[Message]]:
        queues: dict[str, list[Message]] = {}
        for message in self._messages:
            for queue in dict.fromkeys([*self._sent_to(message), *(queue for _, queue in self._readers(message))]):
                queues.setdefault(queue, []).append(message)
        return dict(sorted(queues.items()))

    @cached_property
    def _channel_names(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for queue in self._queues:
            name = component_name(queue)
            while name in names.values():
                name += "_"
            names[queue] = name
        return names

    def _channels(self) -> dict[str, Any]:
        return {
            self._channel_names[queue]: {
                "address": queue,
                **({} if any(queue in self._sent_to(message) for message in messages) else {"x-babel-inbox": True}),
                "messages": {_key(m): {"$ref": f"#/components/messages/{_key(m)}"} for m in messages},
            }
            for queue, messages in self._queues.items()
        }

    def _operations(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for service in sorted(self._service_names if self._service is None else {self._service}):
            for action in ("send", "receive"):
                for queue, messages in self._queues.items():
                    names = [_key(m) for m in messages if self._takes_part(service, action, queue, m)]
                    if names:
                        yield self._operation(service, action, self._channel_names[queue], names)

    def _takes_part(self, service: str, action: str, queue: str, message: Message) -> bool:
        """Return True if ``service`` sends ``message`` to ``queue``, or receives it from there."""
        if action == "send":
            return service in message.producers and queue in self._sent_to(message)
        return [service, queue] in self._readers(message)

    def _sent_to(self, message: Message) -> tuple[str, ...]:
        """Return the queue that producers name."""
        return (message.queue or DEFAULT_QUEUE,)

    def _readers(self, message: Message) -> list[list[str]]:
        """Return the services that receive ``message``, of this document, each with its queue."""
        readers = [[each.service, each.queue] for each in self._topology.of_urn(message.urn)]
        return [reader for reader in readers if self._service in (None, reader[0])]

    @cached_property
    def _topology(self) -> Topology:
        return topology(self._registry)

    def _operation(self, service: str, action: str, channel: str, names: list[str]) -> tuple[str, dict[str, Any]]:
        declared = self._registry.services.get(service)
        about = {
            f"x-babel-{key}": value
            for key in ("owner", "lang", "repo")
            if declared is not None and (value := getattr(declared, key)) is not None
        }
        messages = [{"$ref": f"#/channels/{channel}/messages/{name}"} for name in names]
        return component_name(f"{service}.{action}.{channel}"), {
            "action": action,
            "channel": {"$ref": f"#/channels/{channel}"},
            "messages": messages,
            "x-babel-service": service,
            **about,
        }

    def _data(self, message: Message) -> dict[str, Any]:
        return exported_schema(self._registry, message, closed_enums=self._closed_enums)

    def _examples(self, message: Message) -> Iterator[dict[str, Any]]:
        """Yield the examples, without those that have no form in the format."""
        for example in message.examples:
            envelope = example_envelope(self._registry, message, example.data)
            if self._names is None:
                yield {"payload": envelope}
                continue
            with suppress(WireError, EmitError):
                raw = self._names.example(self._keys[message.urn], envelope, self._mapping)
                yield {"payload": json.loads(raw)}

    def _message(self, message: Message, components: Components) -> dict[str, Any]:
        data = components.add(message, self._data(message))
        result: dict[str, Any] = {"name": message.urn, "title": document_path(message).replace("/", " ")}
        if message.description:
            result["summary"] = message.description
        names = self._names
        result["contentType"] = "application/json" if names is None else names.content_type
        result["tags"] = [{"name": tag} for tag in (message.kind, message.status) if tag]
        if names is None:
            result["correlationId"] = {"location": "$message.payload#/trace_id"}
            result["payload"] = _envelope_schema(message.urn, data)
        else:
            result["payload"] = names.payload(self._keys[message.urn], {"$ref": data}, self._mapping)
        examples = list(self._examples(message))
        if examples:
            result["examples"] = examples
        for key in ("kind", "status", "owner", "supersedes", "sunset"):
            if getattr(message, key) is not None:
                result[f"x-babel-{key}"] = getattr(message, key)
        if message.aliases:
            result["x-babel-aliases"] = list(message.aliases)
        if message.headers:
            result["x-babel-headers"] = True
        if message.queue is None:
            result["x-babel-default-queue"] = True
        lacking = [f"{loss.keyword} at {text(loss.pointer)}" for loss in components.losses[message.urn]]
        return {**result, "x-babel-not-in-draft-07": lacking} if lacking else result


def _listed(mapping: UrnMapping) -> list[Any]:
    return sorted([list(key), value] for key, value in mapping.urns.items())


def _key(message: Message) -> str:
    return component_name(document_path(message).replace("/", "."))


def _tag(name: str, registry: Registry) -> dict[str, str]:
    context = registry.contexts.get(name)
    return {"name": name, "description": context.description} if context and context.description else {"name": name}


def _envelope_schema(urn: str, data: str) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["job", "trace_id", "data", "meta", "attempts"],
        "properties": {
            "job": {"type": "string", "const": urn},
            "trace_id": _UUID,
            "data": {"$ref": data},
            "meta": {"$ref": f"#/components/schemas/{_META}"},
            "attempts": {"type": "integer", "minimum": 0},
        },
    }


def _meta_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["id", "queue", "lang", "schema_version", "created_at"],
        "properties": {
            "id": {**_UUID, "description": "Identifies this message."},
            "queue": {"type": "string", "minLength": 1},
            "lang": {"type": "string", "enum": list(LANGUAGES)},
            "schema_version": {"type": "integer", "const": 1},
            "created_at": {"type": "integer", "minimum": 0, "description": "Unix time in milliseconds, UTC."},
        },
    }
