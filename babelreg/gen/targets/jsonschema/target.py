"""JSON Schema files: one per message, complete in itself, and an index.

    index.json                     the files by URN
    orders/created.v2.schema.json  the data of a message; shared schemas are in its definitions

For validators, editors and code generators of other languages. The dialect is that of the registry file, 2020-12 or
draft-07, or the one that ``dialect`` chooses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from babelreg.gen.hooks import TargetHooks
from babelreg.gen.option import CLOSED_ENUMS, Option

if TYPE_CHECKING:
    from babelreg.gen.target import File
    from babelreg.model import Message, Registry

summary = "JSON Schema files: one per message, with its shared schemas, and an index"
BASE = Option(
    "base",
    "The URI that every $id starts with. Without it, the $id is the URN.",
    command_line=True,
    metavar="URI",
)
DIALECT = Option(
    "dialect",
    "The dialect of all files. Default: each message's own.",
    choices=("draft-07", "2020-12"),
    command_line=True,
)
PLAIN = Option("plain", "Omit all keywords that begin with `x-`.", False, command_line=True)
options = (BASE, DIALECT, PLAIN, CLOSED_ENUMS)
hooks = TargetHooks(service_folder="schemas")


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the index, then a file per message.

    Raises UsageError where ``dialect`` cannot express a schema.
    """
    from babelreg.gen.json_file import json_file
    from babelreg.gen.schema_document import document_inputs, document_path, exported_schema, schema_document
    from babelreg.gen.target import generated_messages
    from babelreg.gen.targets.jsonschema.translation import translated

    base = BASE.value(options, "jsonschema")
    base = None if base is None else str(base)
    dialect = DIALECT.value(options, "jsonschema") if options.get("dialect") is not None else None
    plain, closed = PLAIN.value(options, "jsonschema"), CLOSED_ENUMS.value(options, "jsonschema")
    messages = list(generated_messages(registry))
    index = {message.urn: f"{document_path(message)}.schema.json" for message in messages}
    yield json_file("index.json", "jsonschema", "the registry", index, lambda: {"schemas": index})
    for message in messages:
        exported = exported_schema(registry, message, closed_enums=closed)
        schema, uri = translated(message, exported, dialect)
        inputs = [*document_inputs(message), schema, base, plain]
        identifier = _identifier(message, index[message.urn], base)
        document = partial(schema_document, message, schema, uri, identifier, plain=plain)
        yield json_file(index[message.urn], "jsonschema", message.source.path, inputs, document)


def _identifier(message: Message, path: str, base: str | None) -> str:
    return message.urn if base is None else f"{base.rstrip('/')}/{path}"
