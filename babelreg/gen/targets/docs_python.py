"""The Python a page shows: how to send and how to handle a message with what ``gen python`` writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from babelreg.model import Message
from babelreg.typemap.python import Attribute, Class, Shape, shape
from babelreg.typemap.python_names import class_name, literal, module_name

__all__ = ["handle", "send"]

_WIDTH = 84
_BROKER = "redis://localhost:6379/0"


class _Unspelled(Exception):
    """The value has something that the classes do not say."""


def send(message: Message, package: str) -> str:
    """A script that sends the message's first example."""
    assert message.parsed is not None
    name = class_name(message.parsed)
    found = shape(message.schema, name, reserved=(f"{name}Producer",))
    used = {name, f"{name}Producer"}
    data = _data(message, found, used)
    imports = f"from {package}.{module_name(message.parsed)} import {', '.join(sorted(used))}"
    if len(imports) > _WIDTH:
        names = "".join(f"    {one},\n" for one in sorted(used))
        imports = f"from {package}.{module_name(message.parsed)} import (\n{names})"
    return f"from babelqueue import BabelQueue\n\n{imports}\n\napp = BabelQueue({literal(_BROKER)})\n{data}"


def _data(message: Message, found: Shape, used: set[str]) -> str:
    producer = f"{found.root}Producer(app)"
    if not message.examples:
        required = ", ".join(f"{one.name}=..." for one in found.classes[found.root].attributes if one.required)
        return f"{producer}.send({found.root}({required}))"
    data = message.examples[0].data
    names = set(used)
    try:
        spelled = _spelled(data, {"$ref": f"#/$defs/{found.root}"}, found, names, 0, len(producer) + 7)
        used |= names
    except _Unspelled:
        spelled = f"{found.root}.model_validate({_plain(data, 4)})"
    if "\n" in spelled:
        spelled = "\n    " + spelled.replace("\n", "\n    ") + ",\n"
        return f"{producer}.send({spelled})"
    return f"{producer}.send({spelled})"


def _spelled(value: Any, node: Any, found: Shape, used: set[str], indent: int, before: int) -> str:
    """``value`` as the class that ``node`` names. ``before`` counts what stands on its first line."""
    name = _class_for(value, node, found)
    if name is not None:
        used.add(name)
        parts = _arguments(value, found.classes[name], found, used, indent + 4)
        return _joined(f"{name}(", parts, ")", indent, before)
    if isinstance(value, list):
        items = node.get("items", {}) if isinstance(node, dict) else {}
        parts = [_spelled(item, items, found, used, indent + 4, 1) for item in value]
        return _joined("[", parts, "]", indent, before)
    return _plain(value, indent)


def _arguments(value: Mapping[str, Any], kind: Class, found: Shape, used: set[str], indent: int) -> list[str]:
    attributes: dict[str, Attribute] = {one.wire: one for one in kind.attributes}
    parts = []
    for wire, item in value.items():
        if wire not in attributes or attributes[wire].name != wire:
            raise _Unspelled
        start = f"{wire}="
        parts.append(start + _spelled(item, attributes[wire].shape, found, used, indent, len(start) + 1))
    return parts


def _class_for(value: Any, node: Any, found: Shape) -> str | None:
    if not isinstance(value, dict) or not isinstance(node, dict):
        return None
    options = node.get("anyOf", [node])
    names = [str(one["$ref"]).rpartition("/")[2] for one in options if isinstance(one, dict) and "$ref" in one]
    fitting = [name for name in names if value.keys() <= {one.wire for one in found.classes[name].attributes}]
    if names and not fitting:
        raise _Unspelled
    return fitting[0] if fitting else None


def _plain(value: Any, indent: int) -> str:
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, list):
        return _joined("[", [_plain(item, indent + 4) for item in value], "]", indent, indent)
    if isinstance(value, dict):
        parts = [f"{literal(str(key))}: {_plain(item, indent + 4)}" for key, item in value.items()]
        return _joined("{", parts, "}", indent, indent)
    return repr(value) if value is None or isinstance(value, bool) else json.dumps(value)


def _joined(opening: str, parts: list[str], closing: str, indent: int, before: int) -> str:
    flat = f"{opening}{', '.join(parts)}{closing}"
    if "\n" not in flat and indent + before + len(flat) <= _WIDTH:
        return flat
    lines = "".join(f"{' ' * (indent + 4)}{part},\n" for part in parts)
    return f"{opening}\n{lines}{' ' * indent}{closing}"


def handle(message: Message, package: str) -> str:
    """A script that handles the message."""
    assert message.parsed is not None
    name = class_name(message.parsed)
    attributes = shape(message.schema, name, reserved=(f"{name}Producer",)).classes[name].attributes
    first = next((one.name for one in attributes if one.required), next((one.name for one in attributes), None))
    shown = f"data.{first}" if first else "data"
    return f"""from babelqueue import BabelQueue

from {package} import {", ".join(sorted(["Consumer", "Context", name]))}

consumer = Consumer(BabelQueue({literal(_BROKER)}))


@consumer.on({name})
def handle(data: {name}, context: Context) -> None:
    print({shown}, context.trace_id)


consumer.run()"""
