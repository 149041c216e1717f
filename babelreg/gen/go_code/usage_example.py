"""Usage examples: Go that sends or handles a message with the package of ``gen go``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from babelreg.gen.go_code.shared_structs import SharedStructs
from babelreg.model import Message
from babelreg.typemap.go.names import literal, message_type
from babelreg.typemap.go.types import Declarations, GoStruct, declarations, shape_of

_WIDTH = 84
_GENERIC = re.compile(r"(Optional|Nullable)\[(.*)\]\Z")


class _NoLiteral(Exception):
    """The value has properties or types that a composite literal cannot express plainly."""


def send(message: Message, package: str, shared: SharedStructs, queue: str | None) -> str:
    """Return a function that sends the message's first example to ``queue``, or to the one that the package names.

    ``queue`` is the expression of an option's argument; None leaves the queue to the SDK.
    """
    name, structs = _types(message, shared)
    option = "" if queue is None else f", babelqueue.WithQueue({queue})"
    return f"""func send(ctx context.Context, app *babelqueue.App) error {{
{_data(message, name, structs, package)}
	_, err := {package}.Publish(ctx, app, data{option})
	return err
}}"""


def handle(message: Message, package: str, shared: SharedStructs) -> str:
    """Return a function that registers a handler of the message."""
    name, structs = _types(message, shared)
    fields = structs[name].fields
    first = next((field for field in fields if not field.type.startswith("Optional[")), next(iter(fields), None))
    shown = "data" if first is None else f"data.{first.name}"
    return f"""func register(app *babelqueue.App) {{
	{package}.Handle(app, func(ctx context.Context, envelope babelqueue.Envelope, data {package}.{name}) error {{
		fmt.Println({shown}, envelope.TraceID)
		return nil
	}})
}}"""


def _types(message: Message, shared: SharedStructs) -> tuple[str, dict[str, Any]]:
    assert message.parsed is not None
    name = message_type(message.parsed)
    data = shape_of(message.schema, name)
    own, common = declarations(data, shared.of(data)), shared.declarations
    return name, {struct.name: struct for struct in (*common.structs, *own.structs)} | _enums(common) | _enums(own)


def _enums(found: Declarations) -> dict[str, Mapping[str, str]]:
    return {enum.name: {value: constant for constant, value in enum.constants} for enum in found.enums}


def _data(message: Message, name: str, types: Mapping[str, Any], package: str) -> str:
    example = message.examples[0].data if message.examples else {}
    try:
        return f"\tdata := {_value(example, name, types, package, 1, 16)}"
    except _NoLiteral:
        text = literal(json.dumps(example, ensure_ascii=False))
        return (
            f"\tvar data {package}.{name}\n\tif err := json.Unmarshal([]byte({text}), &data); err != nil {{\n"
            "\t\treturn err\n\t}"
        )


def _value(value: Any, type_: str, types: Mapping[str, Any], package: str, indent: int, prefix: int) -> str:
    """Return ``value`` as an expression of the Go type ``type_``."""

    def below(item: Any, kind: str, more: int = 0) -> str:
        return _value(item, kind, types, package, indent + more, prefix)

    known = types.get(type_)
    if found := _GENERIC.match(type_):
        if found[1] == "Optional":
            return f"{package}.Some({_typed(value, found[2], below(value, found[2]))})"
        if value is None:
            return f"{package}.Null[{_qualified(found[2], package)}]()"
        return f"{package}.NotNull({_typed(value, found[2], below(value, found[2]))})"
    if isinstance(known, GoStruct) and isinstance(value, dict):
        fields = {_wire(field.tag): field for field in known.fields}
        if not value.keys() <= fields.keys():
            raise _NoLiteral
        parts = [(f"{fields[name].name}: ", below(item, fields[name].type, 1)) for name, item in value.items()]
        return _joined(f"{package}.{type_}", parts, indent, prefix)
    if isinstance(known, Mapping) and isinstance(value, str):
        constant = known.get(literal(value))
        return f"{package}.{constant}" if constant else f"{package}.{type_}({literal(value)})"
    if type_.startswith("[]") and isinstance(value, list):
        return _joined(_qualified(type_, package), [("", below(item, type_[2:], 1)) for item in value], indent, prefix)
    if type_.startswith("map[string]") and isinstance(value, dict):
        parts = [(f"{literal(name)}: ", below(item, type_[11:], 1)) for name, item in value.items()]
        return _joined(_qualified(type_, package), parts, indent, prefix)
    return _scalar(value, type_, package)


def _scalar(value: Any, type_: str, package: str) -> str:
    if type_ == "string" and isinstance(value, str):
        return literal(value)
    if type_ == "bool" and isinstance(value, bool):
        return str(value).lower()
    if type_ == "json.Number" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"json.Number({literal(json.dumps(value))})"
    if type_ in ("int64", "Int") and isinstance(value, int) and abs(value) < 2**63:
        return str(value) if type_ == "int64" else f"{package}.NewInt({value})"
    raise _NoLiteral


def _typed(value: Any, type_: str, source: str) -> str:
    """Return ``source`` with its type, which the argument of a generic function does not take from a plain number."""
    return f"int64({value})" if type_ == "int64" else source


def _qualified(type_: str, package: str) -> str:
    return re.sub(r"(?<![\w.])([A-Z]\w*)", rf"{package}.\1", type_)


def _wire(tag: str) -> str:
    if tag.startswith("`"):
        return tag[len('`wire:"') : -len('"`')]
    raise _NoLiteral  # a name with escapes


def _joined(opening: str, parts: list[tuple[str, str]], indent: int, prefix: int) -> str:
    """Return a composite literal of keys and values, on one line if it fits; as gofmt does, values are aligned."""
    flat = f"{opening}{{{', '.join(key + value for key, value in parts)}}}"
    if "\n" not in flat and prefix + len(flat) <= _WIDTH:
        return flat
    tabs = "\t" * indent
    lines = ""
    for several, group in groupby(parts, lambda part: "\n" in part[1]):
        entries = list(group)
        width = 0 if several else max(len(key) for key, _ in entries)
        lines += "".join(f"{tabs}\t{key:<{width}}{value},\n" for key, value in entries)
    return f"{opening}{{\n{lines}{tabs}}}"
