"""The schemas of messages as components of one document: names, and references that lead to them."""

from __future__ import annotations

import re
from typing import Any

from babelreg.gen.schema_document import document_path
from babelreg.model import Message
from babelreg.schema.dialects import identify
from babelreg.schema.downgrade import downgraded
from babelreg.schema.pointer import parse, unquoted
from babelreg.schema.subschemas import with_subschemas
from babelreg.schema.upgrade import Loss, upgraded
from babelreg.schema.values import mappings

_ROOT = "#/components/schemas/"


def component_name(name: str) -> str:
    """Return ``name`` with the characters that AsyncAPI allows in the keys of components."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)


class Components:
    """The schemas that messages refer to, by the names of components. ``losses`` are by URN."""

    def __init__(self) -> None:
        self.schemas: dict[str, Any] = {}
        self.losses: dict[str, tuple[Loss, ...]] = {}

    def add(self, message: Message, data: dict[str, Any]) -> str:
        """Add the schemas of ``message``, ``data`` and its definitions, and return the reference to ``data``."""
        newest = upgraded(data, identify(data))
        oldest = downgraded(newest.schema)
        self.losses[message.urn] = (*newest.losses, *oldest.losses)
        schema = oldest.schema
        name = component_name(document_path(message).replace("/", "."))
        definitions = schema.get("definitions", {}) if isinstance(schema, dict) else {}
        names = {key: self._definition_name(message, name, key, below) for key, below in definitions.items()}
        self.schemas[name] = _relocated({k: v for k, v in schema.items() if k != "definitions"}, name, names)
        for key, below in definitions.items():
            self.schemas[names[key]] = _relocated(below, name, names)
        return _ROOT + name

    def _definition_name(self, message: Message, name: str, key: str, schema: Any) -> str:
        """Return the name of a definition: that of its file where all messages share it, else one of the message."""
        origin = message.origins.get(key)
        if origin is not None and not any("$ref" in node for node in mappings(schema)):
            shared = component_name(origin.path.rsplit(".", 1)[0].replace("/", "."))
            if self.schemas.get(shared, schema) == schema:
                return shared
        return self._free(f"{name}.{component_name(key)}")

    def _free(self, name: str) -> str:
        free, number = name, 2
        while free in self.schemas:
            free, number = f"{name}_{number}", number + 1
        return free


def _relocated(schema: Any, name: str, definitions: dict[str, str]) -> Any:
    """Return ``schema`` with its references to the document led to the components."""
    if not isinstance(schema, dict):
        return schema
    result = with_subschemas(schema, lambda below: _relocated(below, name, definitions))
    reference = result.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        head, _, rest = reference.removeprefix("#/definitions/").partition("/")
        key = _unescaped(head)
        if reference.startswith("#/definitions/") and key in definitions:
            result["$ref"] = _ROOT + definitions[key] + (f"/{rest}" if rest else "")
        else:
            result["$ref"] = _ROOT + name + reference[1:]
    return result


def _unescaped(step: str) -> str:
    return str(parse(f"/{unquoted(step)}")[0])
