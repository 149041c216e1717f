"""Usage examples: Python that sends or handles a message with a package of ``gen python``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from babelreg.model import Message
from babelreg.typemap.names import class_name
from babelreg.typemap.python.names import in_lines, literal, module_name
from babelreg.typemap.python.types import shape_of
from babelreg.typemap.shapes import Attribute, Class, Shape

_WIDTH = 84
BROKER = "redis://localhost:6379/0"


class _NoConstructorCall(Exception):
    """The value has properties or types that a call of the class cannot express."""


def send(message: Message, package: str, models: str = "pydantic", *, typed: bool = False) -> str:
    """Return a script that sends the message's first example. ``models`` is a key of ``kinds.KINDS``."""
    assert message.parsed is not None
    data, used = call(message, models, typed=typed)
    imports = f"from {package}.{module_name(message.parsed)} import {', '.join(sorted(used))}"
    if len(imports) > _WIDTH:
        names = "".join(f"    {name},\n" for name in sorted(used))
        imports = f"from {package}.{module_name(message.parsed)} import (\n{names})"
    return f"from babelqueue import BabelQueue\n\n{imports}\n\napp = BabelQueue({literal(BROKER)})\n{data}"


def call(message: Message, models: str, *, typed: bool) -> tuple[str, frozenset[str]]:
    """Return a producer call that sends the first example, and the names that it uses of the message's module."""
    assert message.parsed is not None
    name = class_name(message.parsed)
    used = {f"{name}Producer"}
    data = _data(message, _shape(message, name, typed), used, models)
    return data, frozenset(used)


def data(message: Message, models: str, *, typed: bool, prefix: int) -> tuple[str, frozenset[str]]:
    """Return an expression of the data of the first example, and the names that it uses of the message's module.

    ``prefix`` is the number of characters before it on its first line.
    """
    assert message.parsed is not None
    name = class_name(message.parsed)
    used: set[str] = set()
    source = _expression(message, _shape(message, name, typed), used, models, prefix)
    return source, frozenset(used)


def member(message: Message, models: str, *, typed: bool) -> str:
    """Return an expression that reads a property of the first example from ``data``; ``data`` without one."""
    assert message.parsed is not None
    name = class_name(message.parsed)
    attributes = {attr.wire: attr for attr in _shape(message, name, typed).classes[name].attributes}
    example = message.examples[0].data if message.examples else None
    known = [attributes[key] for key in example if key in attributes] if isinstance(example, dict) else []
    return _reading(next((attr for attr in known if attr.required), next(iter(known), None)), models)


def _reading(attribute: Attribute | None, models: str) -> str:
    if attribute is None:
        return "data"
    if models == "typeddict":
        return f"data[{literal(attribute.wire)}]" if attribute.required else f"data.get({literal(attribute.wire)})"
    return f"data.{attribute.name}"


def _shape(message: Message, name: str, typed: bool) -> Shape:
    return shape_of(message.schema, name, reserved=(f"{name}Producer",), typed=typed)


def _data(message: Message, shape: Shape, used: set[str], models: str) -> str:
    producer = f"{shape.root}Producer(app)"
    source = _expression(message, shape, used, models, len(producer) + 7)
    if "\n" in source:
        source = "\n    " + source.replace("\n", "\n    ") + ",\n"
    return f"{producer}.send({source})"


def _expression(message: Message, shape: Shape, used: set[str], models: str, prefix: int) -> str:
    root, example = shape.classes[shape.root], message.examples[0].data if message.examples else None
    required = [attribute for attribute in root.attributes if attribute.required]
    if models == "typeddict":
        values = example if message.examples else {attribute.wire: ... for attribute in required}
        return _json_value(values, 0, prefix)
    if not message.examples:
        used.add(shape.root)
        return f"{shape.root}({', '.join(f'{attribute.name}=...' for attribute in required)})"
    names: set[str] = set()
    try:
        source = _typed_value(example, {"$ref": f"#/$defs/{shape.root}"}, shape, names, 0, prefix)
    except _NoConstructorCall:
        used.add(shape.root)
        return _joined(f"{shape.root}.model_validate(", [_json_value(example, 4)], ")", 0, prefix)
    used |= names
    return source


def _typed_value(value: Any, node: Any, shape: Shape, used: set[str], indent: int, prefix: int) -> str:
    """Return ``value`` as a call of the class of ``node``. ``prefix`` is the number of characters before it."""
    if any("format" in option for option in node.get("anyOf", [node])):
        raise _NoConstructorCall  # a typed format: the conversion of the complete value parses its text
    name = _class_for(value, node, shape)
    if name is not None:
        used.add(name)
        parts = _arguments(value, shape.classes[name], shape, used, indent + 4)
        return _joined(f"{name}(", parts, ")", indent, prefix)
    if isinstance(value, list):
        items = node.get("items", {}) if isinstance(node, dict) else {}
        parts = [_typed_value(item, items, shape, used, indent + 4, 1) for item in value]
        return _joined("[", parts, "]", indent, prefix)
    return _json_value(value, indent)


def _arguments(value: Mapping[str, Any], class_: Class, shape: Shape, used: set[str], indent: int) -> list[str]:
    attributes: dict[str, Attribute] = {attribute.wire: attribute for attribute in class_.attributes}
    parts = []
    for wire, item in value.items():
        if wire not in attributes or attributes[wire].name != wire:
            raise _NoConstructorCall
        start = f"{wire}="
        parts.append(start + _typed_value(item, attributes[wire].shape, shape, used, indent, len(start) + 1))
    return parts


def _class_for(value: Any, node: Any, shape: Shape) -> str | None:
    if not isinstance(value, dict) or not isinstance(node, dict):
        return None
    options = node.get("anyOf", [node])
    names = [
        str(option["$ref"]).rpartition("/")[2] for option in options if isinstance(option, dict) and "$ref" in option
    ]
    fitting = [name for name in names if value.keys() <= {attr.wire for attr in shape.classes[name].attributes}]
    if names and not fitting:
        raise _NoConstructorCall
    return fitting[0] if fitting else None


def _json_value(value: Any, indent: int, prefix: int | None = None) -> str:
    if isinstance(value, str):
        return literal(value) if len(value) + indent <= _WIDTH else in_lines(value, indent)
    if isinstance(value, list):
        return _joined("[", [_json_value(item, indent + 4) for item in value], "]", indent, indent)
    if isinstance(value, dict):
        parts = [f"{literal(str(key))}: {_json_value(item, indent + 4)}" for key, item in value.items()]
        return _joined("{", parts, "}", indent, indent if prefix is None else prefix)
    if value is ...:
        return "..."
    return repr(value) if value is None or isinstance(value, bool) else json.dumps(value)


def _joined(opening: str, parts: list[str], closing: str, indent: int, prefix: int) -> str:
    flat = f"{opening}{', '.join(parts)}{closing}"
    if "\n" not in flat and indent + prefix + len(flat) <= _WIDTH:
        return flat
    lines = "".join(f"{' ' * (indent + 4)}{part},\n" for part in parts)
    return f"{opening}\n{lines}{' ' * indent}{closing}"


def handle(message: Message, package: str, models: str = "pydantic") -> str:
    """Return a script that handles the message. ``models`` is a key of ``kinds.KINDS``."""
    assert message.parsed is not None
    name = class_name(message.parsed)
    attributes = shape_of(message.schema, name, reserved=(f"{name}Producer",)).classes[name].attributes
    first = next((attr for attr in attributes if attr.required), next(iter(attributes), None))
    shown = _reading(first, models)
    return f"""from babelqueue import BabelQueue

from {package} import {", ".join(sorted(["Consumer", "Context", name]))}

consumer = Consumer(BabelQueue({literal(BROKER)}))


@consumer.on({name})
def handle(data: {name}, context: Context) -> None:
    print({shown}, context.trace_id)


consumer.run()"""
