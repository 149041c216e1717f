"""JSON Schema files: one per message, complete in itself, and an index.

    index.json                     the files by URN
    orders/created.v2.schema.json  the data of a message; shared schemas are in its definitions

For validators, editors and code generators of other languages. The dialect is that of the registry file, 2020-12 or
draft-07.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from babelreg.gen.option import Option

if TYPE_CHECKING:
    from babelreg.gen.target import File
    from babelreg.model import Message, Registry

__all__ = ["files", "options", "own_folder", "summary", "unsupported"]

summary = "JSON Schema files: one per message, with its shared schemas, and an index"
BASE = Option(
    "base",
    "The URI that every $id starts with. Without it, the $id is the URN.",
    command_line=True,
    metavar="URI",
)
options = (BASE,)
unsupported = None


def own_folder(options: Mapping[str, Any]) -> str:
    """Return "": the files lie in the output folder itself."""
    return ""


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the index, then a file per message."""
    from babelreg.gen.json_file import json_file
    from babelreg.gen.schema_document import document_inputs, document_path, schema_document
    from babelreg.gen.target import generated_messages
    from babelreg.schema.dialects import identify

    base = BASE.value(options, "jsonschema")
    base = None if base is None else str(base)
    messages = list(generated_messages(registry))
    index = {message.urn: f"{document_path(message)}.schema.json" for message in messages}
    yield json_file("index.json", "jsonschema", "the registry", index, lambda: {"schemas": index})
    for message in messages:
        inputs = [*document_inputs(message), message.schema, base]
        uri = identify(message.schema).uri
        assert message.schema is not None
        document = partial(
            schema_document, message, message.schema, uri, _identifier(message, index[message.urn], base)
        )
        yield json_file(index[message.urn], "jsonschema", message.source.path, inputs, document)


def _identifier(message: Message, path: str, base: str | None) -> str:
    return message.urn if base is None else f"{base.rstrip('/')}/{path}"
