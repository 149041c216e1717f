"""The Python a page shows: how to send and how to handle a message with what ``gen python`` writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from babelreg.errors import BabelregError
from babelreg.gen.python_code.models.kinds import KINDS
from babelreg.model import Message
from babelreg.typemap.python.names import (
    class_name,
    in_lines,
    literal,
    module_name,
)
from babelreg.typemap.python.shapes import (
    Attribute,
    Class,
    Shape,
    shape,
)

__all__ = ["BROKER", "call", "data", "handle", "member", "send"]

_WIDTH = 84
BROKER = "redis://localhost:6379/0"


class _Unspelled(Exception):
    """The value has something that the classes do not say."""


def send(message: Message, package: str, models: str = "pydantic", *, typed: bool = False) -> str:
    """A script that sends the message's first example. ``models`` is the kind of model: ``python_kinds.KINDS``."""
    assert message.parsed is not None
    data, used = call(message, models, typed=typed)
    imports = f"from {package}.{module_name(message.parsed)} import {', '.join(sorted(used))}"
    if len(imports) > _WIDTH:
        names = "".join(f"    {one},\n" for one in sorted(used))
        imports = f"from {package}.{module_name(message.parsed)} import (\n{names})"
    first = "import msgspec\n" if "msgspec.convert(" in data and models == "msgspec" else ""
    return f"{first}from babelqueue import BabelQueue\n\n{imports}\n\napp = BabelQueue({literal(BROKER)})\n{data}"


def call(message: Message, models: str, *, typed: bool) -> tuple[str, frozenset[str]]:
    """A call of the producer that sends the first example, and the names that it uses of the message's module."""
    assert message.parsed is not None
    name = class_name(message.parsed)
    used = {f"{name}Producer"}
    data = _data(message, _shape(message, name, models, typed), used, models)
    return data, frozenset(used)


def data(message: Message, models: str, *, typed: bool, before: int) -> tuple[str, frozenset[str]]:
    """An expression of the data of the first example, and the names that it uses of the message's module.

    ``before`` characters stand before it on its first line.
    """
    assert message.parsed is not None
    name = class_name(message.parsed)
    used: set[str] = set()
    spelled = _expression(message, _shape(message, name, models, typed), used, models, before)
    return spelled, frozenset(used)


def member(message: Message, models: str, *, typed: bool) -> str:
    """An expression that reads a property of ``data`` that the first example has; ``data`` where it has none."""
    assert message.parsed is not None
    name = class_name(message.parsed)
    attributes = {one.wire: one for one in _shape(message, name, models, typed).classes[name].attributes}
    example = message.examples[0].data if message.examples else None
    known = [attributes[key] for key in example if key in attributes] if isinstance(example, dict) else []
    return _reading(next((one for one in known if one.required), next(iter(known), None)), models)


def _reading(attribute: Attribute | None, models: str) -> str:
    if attribute is None:
        return "data"
    if models == "typeddict":
        return f"data[{literal(attribute.wire)}]" if attribute.required else f"data.get({literal(attribute.wire)})"
    return f"data.{attribute.name}"


def _shape(message: Message, name: str, models: str, typed: bool) -> Shape:
    found = shape(message.schema, name, reserved=(f"{name}Producer",), rich=typed)
    try:
        return KINDS[models].narrowed(found)
    except BabelregError:
        return found  # gen python says what is wrong with it


def _data(message: Message, found: Shape, used: set[str], models: str) -> str:
    producer = f"{found.root}Producer(app)"
    spelled = _expression(message, found, used, models, len(producer) + 7)
    if "\n" in spelled:
        spelled = "\n    " + spelled.replace("\n", "\n    ") + ",\n"
    return f"{producer}.send({spelled})"


def _expression(message: Message, found: Shape, used: set[str], models: str, before: int) -> str:
    root, example = found.classes[found.root], message.examples[0].data if message.examples else None
    if models == "typeddict":
        given = example if message.examples else {one.wire: ... for one in root.attributes if one.required}
        return _plain(given, 0, before)
    if not message.examples:
        used.add(found.root)
        return f"{found.root}({', '.join(f'{one.name}=...' for one in root.attributes if one.required)})"
    names: set[str] = set()
    try:
        spelled = _spelled(example, {"$ref": f"#/$defs/{found.root}"}, found, names, 0, before)
    except _Unspelled:
        used.add(found.root)
        return _whole(found.root, example, models, before)
    used |= names
    return spelled


def _whole(name: str, values: Any, models: str, before: int) -> str:
    """Data that no constructor call spells, made of all its values at once."""
    if models == "msgspec":
        return _joined("msgspec.convert(", [_plain(values, 4), name], ")", 0, before)
    return _joined(f"{name}.model_validate(", [_plain(values, 4)], ")", 0, before)


def _spelled(value: Any, node: Any, found: Shape, used: set[str], indent: int, before: int) -> str:
    """``value`` as the class that ``node`` names. ``before`` counts what stands on its first line."""
    if any("format" in one for one in node.get("anyOf", [node])):
        raise _Unspelled  # a rich type: made of its text by whoever reads all of it
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
        if wire == kind.tag:
            continue  # the class itself says it
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


def _plain(value: Any, indent: int, before: int | None = None) -> str:
    if isinstance(value, str):
        return literal(value) if len(value) + indent <= _WIDTH else in_lines(value, indent)
    if isinstance(value, list):
        return _joined("[", [_plain(item, indent + 4) for item in value], "]", indent, indent)
    if isinstance(value, dict):
        parts = [f"{literal(str(key))}: {_plain(item, indent + 4)}" for key, item in value.items()]
        return _joined("{", parts, "}", indent, indent if before is None else before)
    if value is ...:
        return "..."
    return repr(value) if value is None or isinstance(value, bool) else json.dumps(value)


def _joined(opening: str, parts: list[str], closing: str, indent: int, before: int) -> str:
    flat = f"{opening}{', '.join(parts)}{closing}"
    if "\n" not in flat and indent + before + len(flat) <= _WIDTH:
        return flat
    lines = "".join(f"{' ' * (indent + 4)}{part},\n" for part in parts)
    return f"{opening}\n{lines}{' ' * indent}{closing}"


def handle(message: Message, package: str, models: str = "pydantic") -> str:
    """A script that handles the message. ``models`` is the kind of model: ``python_kinds.KINDS``."""
    assert message.parsed is not None
    name = class_name(message.parsed)
    attributes = shape(message.schema, name, reserved=(f"{name}Producer",)).classes[name].attributes
    first = next((one for one in attributes if one.required), next(iter(attributes), None))
    shown = _reading(first, models)
    return f"""from babelqueue import BabelQueue

from {package} import {", ".join(sorted(["Consumer", "Context", name]))}

consumer = Consumer(BabelQueue({literal(BROKER)}))


@consumer.on({name})
def handle(data: {name}, context: Context) -> None:
    print({shown}, context.trace_id)


consumer.run()"""
