"""JSON Schema documents of messages for other tools: the schema with what the registry knows about the message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.model import Message, Registry
from babelreg.schema.dialects import identify
from babelreg.schema.open_enums import with_known_values
from babelreg.schema.subschemas import with_subschemas

_ABOUT = ("kind", "status", "owner", "queue", "supersedes", "sunset")


def document_path(message: Message) -> str:
    """Return ``orders/created.v2``, after the path in the registry."""
    assert message.parsed is not None
    return message.parsed.path.removesuffix(".yaml")


def exported_schema(registry: Registry, message: Message, *, closed_enums: bool) -> dict[str, Any]:
    """Return the data schema of ``message``, its open enums in the spelling of exports unless ``closed_enums``.

    Where readers are strict, they refuse new values themselves, and the schema stays as it is.
    """
    assert message.schema is not None
    if closed_enums or registry.compatibility(message.context).reader == "strict":
        return message.schema
    return with_known_values(message.schema, identify(message.schema))


def document_inputs(message: Message) -> list[Any]:
    """Return all that :func:`schema_document` depends on, but the schema (JSON)."""
    examples = [example.data for example in message.examples]
    return [message.urn, message.description, examples, *(getattr(message, name) for name in _ABOUT)]


def schema_document(
    message: Message, schema: Mapping[str, Any], dialect_uri: str, identifier: str, *, plain: bool = False
) -> dict[str, Any]:
    """Return ``schema``, the data schema of ``message`` in the dialect ``dialect_uri``, as a document of its own.

    It has ``identifier`` as its ``$id``, the URN as its title, the examples of the message, and what the registry says
    about the message in members that begin with ``x-babel-``. ``plain``: it has no keyword that begins with ``x-``.
    """
    about = {f"x-babel-{name}": value for name in _ABOUT if (value := getattr(message, name)) is not None}
    document: dict[str, Any] = {"$schema": dialect_uri, "$id": identifier, "title": message.urn}
    if message.description is not None:
        document["description"] = message.description
    rest = {key: value for key, value in schema.items() if key not in ("$schema", "$id")}
    document = {**document, **rest, "x-babel-urn": message.urn, **about}
    if message.examples:
        document["examples"] = [example.data for example in message.examples]
    if message.status == "deprecated":
        document["deprecated"] = True
    return _plain(document) if plain else document


def _plain(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    return with_subschemas({key: value for key, value in schema.items() if not key.startswith("x-")}, _plain)
