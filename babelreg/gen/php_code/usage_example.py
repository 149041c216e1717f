"""Usage examples: PHP that sends or handles a message with the classes of ``gen php``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from babelreg.gen.php_code.shared_parts import SharedParts
from babelreg.model import Message
from babelreg.schema.values import json_type
from babelreg.typemap.php.names import constant, literal, message_class, parameter
from babelreg.typemap.php.types import class_names, classes, shape_of
from babelreg.typemap.shapes import Class

_BROKER = "redis://localhost:6379/0"
_WIDTH = 84
_INT64 = range(-(2**63), 2**63)
_INDENT = " " * 4


class _NoExpression(Exception):
    """The value has properties or types that the classes have no constructor or accessor for."""


def send(message: Message, namespace: str, shared: SharedParts, queue: str | None, *, strict: bool = False) -> str:
    """Return a script that sends the message's first example to ``queue``, or to the one that the class names."""
    name = _name(message)
    values = _Values(message, namespace, shared, strict=strict)
    value = values.of_message(message.examples[0].data if message.examples else {})
    imports = "\n".join(f"use {namespace}\\{each};" for each in sorted([name, "Publisher", *values.namespaces]))
    target = "" if queue is None else f", {literal(queue)}"
    return f"""<?php

{imports}

$transport = new \\BabelQueue\\Transport\\RedisTransport(new \\Predis\\Client({literal(_BROKER)}));
$data = {value};
(new Publisher($transport))->publish($data{target});"""


def handle(message: Message, namespace: str, inbox: str, *, others: bool = False, strict: bool = False) -> str:
    """Return a script that handles the message as it arrives in ``inbox``.

    ``others``: the service consumes other messages, too, which need their handlers.
    """
    name = _name(message)
    root = classes(shape_of(message.schema, name, strict=strict), namespace)[0]
    first = next((each for each in root.properties if each.required and each.native in ("string", "int")), None)
    shown = f"$data->get{first.word}()" if first else "$data->toJson()"
    more = f"{_INDENT}// and one for each other message that the service consumes\n" if others else ""
    uses = [f"{namespace}\\{each}" for each in sorted(["Handlers", name, "Received"])]
    imports = "\n".join(f"use {each};" for each in ["BabelQueue\\Contracts\\InboundMessage", *uses])
    source, processing = literal(inbox), literal(f"{inbox}:processing")
    return f"""<?php

{imports}

$handlers = new Handlers(
    {parameter(name)}: function ({name} $data, InboundMessage $message): void {{
        echo {shown}, ' ', $message->getTraceId(), "\\n";
    }},
{more});
$redis = new \\Predis\\Client({literal(_BROKER)});
while (true) {{
    $body = $redis->brpoplpush({source}, {processing}, 5);
    if ($body !== null) {{
        $handlers(new Received($body));
        $redis->lrem({processing}, 1, $body);
    }}
}}"""


def _name(message: Message) -> str:
    assert message.parsed is not None
    return message_class(message.parsed)


class _Values:
    """JSON values as PHP expressions of the types of a message's classes."""

    def __init__(self, message: Message, namespace: str, shared: SharedParts, *, strict: bool) -> None:
        self._name = _name(message)
        self._shape = shape_of(message.schema, self._name, strict=strict)
        self._shared = shared.of(self._shape)
        self._names = class_names(self._shape, self._shared)
        self.namespaces: set[str] = set()
        """The namespaces of shared classes that were written, below that of the messages."""
        self._constants = {
            **{f"{shared.namespace}\\{each.name}": each.constants for each in shared.classes},
            **{each.name: each.constants for each in classes(self._shape, namespace, self._shared)},
        }

    def of_message(self, value: Any) -> str:
        """Return the data of the message."""
        try:
            return self._object(value, self._shape.classes[self._shape.root], 0, len("$data = "))
        except _NoExpression:
            self.namespaces.clear()
            return f"{self._name}::fromJson({literal(json.dumps(value, ensure_ascii=False))})"

    def _object(self, value: Any, class_: Class, indent: int, prefix: int) -> str:
        attributes = {each.wire: each for each in class_.attributes}
        required = [each for each in class_.attributes if each.required]
        if not isinstance(value, dict) or not value.keys() <= attributes.keys():
            raise _NoExpression
        if not all(each.wire in value for each in required):
            raise _NoExpression
        arguments = []
        for each in required:
            opening = f"{parameter(each.name)}: "
            arguments.append(opening + self._member(value[each.wire], class_, each.wire, each.shape, indent, opening))
        made = _joined(f"new {self._spelled(class_)}", "()", arguments, indent, prefix)
        changes = []
        for wire, item in value.items():
            if not attributes[wire].required:
                opening = f"->with{attributes[wire].name}("
                changes.append(f"{opening}{self._member(item, class_, wire, attributes[wire].shape, indent, opening)})")
        if not changes:
            return made
        flat = f"({made}){''.join(changes)}"
        if "\n" not in flat and prefix + len(flat) <= _WIDTH:
            return flat
        below = f"\n{' ' * indent}{_INDENT}"
        return f"({made}){below}{below.join(changes)}"

    def _member(self, value: Any, class_: Class, wire: str, shape: Mapping[str, Any], indent: int, opening: str) -> str:
        inner = indent + len(_INDENT)
        return self._value(value, shape, class_, wire, inner, inner + len(opening))

    def _value(self, value: Any, node: Mapping[str, Any], class_: Class, wire: str, indent: int, prefix: int) -> str:
        options = list(node.get("anyOf", [node]))
        kinds = {option.get("type") for option in options if "$ref" not in option and "enum" not in option}
        if {} in options or None in kinds:
            return _untyped(value, indent, prefix)
        kind = json_type(value)
        inner = indent + len(_INDENT)
        if kind == "object":
            references = [option["$ref"] for option in options if "$ref" in option]
            if len(references) == 1 and "object" not in kinds:
                return self._object(value, self._shape.classes[references[0].rpartition("/")[2]], indent, prefix)
            if references or "object" not in kinds or "array" in kinds:
                raise _NoExpression
        fitting = [option for option in options if option.get("type") == kind]
        if kind in ("object", "array"):
            if len(fitting) != 1:
                raise _NoExpression
            if kind == "array":
                items = fitting[0].get("items", {})
                parts = [self._value(each, items, class_, wire, inner, inner) for each in value]
                return _joined("", "[]", parts, indent, prefix)
            members = fitting[0].get("additionalProperties", {})
            pairs = [(f"{literal(name)} => ", each) for name, each in value.items()]
            parts = [key + self._value(each, members, class_, wire, inner, inner + len(key)) for key, each in pairs]
            return _joined("", "[]", parts, indent, prefix)
        listed = any(value == each and json_type(each) == kind for option in options for each in option.get("enum", ()))
        if not listed and kind not in kinds and not (kind == "integer" and "number" in kinds):
            raise _NoExpression
        return self._constant(value, class_, wire) or _scalar(value)

    def _constant(self, value: Any, class_: Class, wire: str) -> str | None:
        if not isinstance(value, str):
            return None
        wanted = (constant(wire, value), literal(value))
        known = self._constants[self._names[class_.name]]
        return f"{self._spelled(class_)}::{wanted[0]}" if wanted in known else None

    def _spelled(self, class_: Class) -> str:
        if class_.name == self._shape.root or class_.name in self._shared:
            spelled = self._names[class_.name]
            if "\\" in spelled:
                self.namespaces.add(spelled.partition("\\")[0])
            return spelled
        return f"{self._name}\\{self._names[class_.name]}"


def _untyped(value: Any, indent: int, prefix: int) -> str:
    """Return ``value`` as json_decode() gives it."""
    inner = indent + len(_INDENT)
    if isinstance(value, list):
        return _joined("", "[]", [_untyped(each, inner, inner) for each in value], indent, prefix)
    if isinstance(value, dict):
        pairs = [(f"{literal(name)} => ", each) for name, each in value.items()]
        parts = [key + _untyped(each, inner, inner + len(key)) for key, each in pairs]
        return _joined("(object) ", "[]", parts, indent, prefix)
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return literal(value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, float) and json_type(value) == "integer":
        value = int(value)
    if isinstance(value, int) and (value not in _INT64 or value == _INT64.start):  # which PHP reads as a float
        raise _NoExpression
    return json.dumps(value)


def _joined(opening: str, brackets: str, parts: list[str], indent: int, prefix: int) -> str:
    """Return ``parts`` in ``brackets`` after ``opening``, on one line if they fit."""
    flat = f"{opening}{brackets[0]}{', '.join(parts)}{brackets[1]}"
    if "\n" not in flat and prefix + len(flat) <= _WIDTH:
        return flat
    lines = "".join(f"{' ' * indent}{_INDENT}{part},\n" for part in parts)
    return f"{opening}{brackets[0]}\n{lines}{' ' * indent}{brackets[1]}"
