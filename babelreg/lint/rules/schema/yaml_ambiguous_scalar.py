"""Unquoted text that other YAML parsers read as another type.

babelreg reads `no`, `012`, `12:30` and `2026-11-20` as text. Most other readers follow YAML 1.1: `no` (Norway) is
false, `012` is ten, `12:30` is 750, and a date is not text. An editor, a script or a schema tool that reads the same
file then sees a different contract. The values and property names of schemas and examples are checked.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        country: {type: string, enum: [se, dk, no]}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        country: {type: string, enum: [se, dk, "no"]}

Fix::

    Put it in quotes; for values, `babelreg lint --fix` does it. For babelreg, nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.load.yaml.emitter import ambiguous, quoted
from babelreg.model import Edit, Message, Source
from babelreg.schema.pointer import Pointer

severity = Severity.WARNING
profile = "standard"

# Without y and n: few readers take them for booleans, and they are coordinates.
_WORDS = frozenset({"yes", "no", "on", "off", "true", "false", "null", "<<", ""})
# Without numbers: as keys they become the same text.
_KEYS = frozenset({"yes", "no", "on", "off", "Yes", "No", "On", "Off", "YES", "NO", "ON", "OFF"})
_SIGNED_WORDS = frozenset({"-i", "+i", "-n", "+n"})  # -inf is not a number without its point
_STARTS = frozenset("0123456789+-.~=")
_MOST_VALUES = 10_000  # lists and mappings in one value


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields_with("enum", "const", "default", "examples"):
        for at, value in field.listed():
            yield from _in_value(value, field.source, at, field.urn)
    for field in scope.fields_with("properties"):
        properties = field.schema["properties"]
        if isinstance(properties, dict) and not _KEYS.isdisjoint(properties):
            yield from _in_names(field, properties)
    suspects: dict[str, Message] = {}
    for field in scope.fields:
        message = field.message
        if message is None or "string" not in field.types or message.source.path in suspects:
            continue
        for value in field.values:
            if _may_be_ambiguous(value) and _bare_in_examples(message, value) and ambiguous(value):
                suspects[message.source.path] = message
                break
    for message in suspects.values():
        for example in message.examples:
            yield from _in_value(example.data, example.source, example.pointer, message.urn)


def _may_be_ambiguous(value: Any) -> bool:
    if type(value) is not str:
        return False
    return (value[:1] in _STARTS and value[:2].lower() not in _SIGNED_WORDS) or value.lower() in _WORDS


def _bare_in_examples(message: Message, text: str) -> bool:
    """Return True when an example may contain ``text`` without quotes."""
    return any(example.source.bare(None, text) for example in message.examples[:1])


def _in_value(value: Any, source: Source, at: Pointer, urn: str | None) -> Iterator[Problem]:
    if not isinstance(value, dict | list):
        yield from _in_scalar(value, source, at, urn)
        return
    pending: list[tuple[Any, Pointer]] = [(value, at)]
    for _ in range(_MOST_VALUES):
        if not pending:
            return
        container, pointer = pending.pop()
        for step, item in container.items() if isinstance(container, dict) else enumerate(container):
            if isinstance(item, dict | list):
                pending.append((item, (*pointer, step)))
            elif _may_be_ambiguous(item):
                yield from _in_scalar(item, source, (*pointer, step), urn)


def _in_scalar(value: Any, source: Source, at: Pointer, urn: str | None) -> Iterator[Problem]:
    if _may_be_ambiguous(value) and ambiguous(value) and source.bare(at, value):
        edits = (Edit(source.path, "replace", at, value),)
        yield Problem(_text(value), source, at, fix=quoted(value), urn=urn, edits=edits)


def _in_names(field: SchemaField, properties: dict[str, Any]) -> Iterator[Problem]:
    for name in properties:
        at = (*field.pointer, "properties", name)
        if name in _KEYS and field.source.bare(at, name, key=True):
            yield Problem(_text(name), field.source, at, key=True, fix=quoted(name), urn=field.urn)


def _text(text: str) -> str:
    folded = text.lower()
    if folded in ("yes", "on", "true", "no", "off", "false"):
        reading = "true" if folded in ("yes", "on", "true") else "false"
    elif folded in ("null", "~"):
        reading = "null"
    else:
        reading = "a date" if text[:4].isdigit() and text[4:5] == "-" else "a number"
    return f"'{text}' without quotes is a string here, but {reading} to other YAML readers"
