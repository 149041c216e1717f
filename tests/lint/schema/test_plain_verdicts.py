"""Validity of the examples of plain schemas, many schemas at once, is what each schema alone says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from babelreg.lint.schema.example_validator import ExampleValidator
from babelreg.lint.schema.plain_verdicts import documents_of, plain_verdicts
from babelreg.load import from_tree
from babelreg.load.files.tree import Memory
from babelreg.model import Message

REF = {"$ref": "#/$defs/part"}
DOCUMENTS: list[Any] = [{}, {"a": 1}, {"a": "x"}, {"a": None}, {"b": 1}, {"a": {"a": 1}}, {"a": [1]}]
PLAIN: dict[str, dict[str, Any]] = {
    "one property": {"properties": {"a": {"type": "integer"}}},
    "another type": {"properties": {"a": {"type": "string"}}},
    "a required property": {"required": ["a"], "properties": {"a": {}}},
    "open": {"properties": {"a": {"type": "integer"}}, "additionalProperties": True},
    "a definition": {"properties": {"a": REF}, "$defs": {"part": {"type": "integer"}}},
    "the same definition": {"properties": {"b": REF, "a": REF}, "$defs": {"part": {"type": "integer"}}},
    "another definition of that name": {"properties": {"a": REF}, "$defs": {"part": {"type": "string"}}},
    "a definition that refers to itself": {"properties": {"a": REF}, "$defs": {"part": {"properties": {"a": REF}}}},
    "items": {"properties": {"a": {"type": "array", "items": {"type": "string"}}}},
}
REST: dict[str, dict[str, Any]] = {
    "two subschemas for one value": {"properties": {"a": {"allOf": [{"type": "integer"}]}}},
    "another dialect": {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {}}},
}


def messages(schemas: dict[str, dict[str, Any]]) -> dict[str, Message]:
    """Messages with these schemas, by the names of the schemas."""
    files = {"babelreg.yaml": b"version: 1\n"}
    for number, schema in enumerate(schemas.values()):
        data = {"type": "object", **schema}
        content = {"urn": f"urn:babel:orders:m{number:03}", "kind": "event", "data": data, "examples": DOCUMENTS}
        files[f"orders/m{number:03}.yaml"] = json.dumps(content).encode()
    registry = from_tree(Memory(files))
    assert not registry.defects
    return dict(zip(schemas, registry.messages, strict=True))


def as_listed(verdicts: Any, message: Message) -> list[bool]:
    return [verdicts[id(document)] for document in documents_of(message)]


def alone(message: Message) -> list[bool]:
    validator = ExampleValidator(message.schema)
    return [validator.accepts(document) for document in documents_of(message)]


@pytest.mark.parametrize("times", [pytest.param(1, id="few schemas"), pytest.param(8, id="more than one batch has")])
def test_verdicts_are_those_of_each_schema_alone(times: int) -> None:
    several = {f"{name} {number}": schema for number in range(times) for name, schema in PLAIN.items()}
    given = messages(several)
    verdicts = plain_verdicts(given.values())
    found = {name: as_listed(verdicts[message.source.path], message) for name, message in given.items()}
    assert found == {name: alone(message) for name, message in given.items()}


def test_other_schemas_are_left_out() -> None:
    given = messages({**REST, **PLAIN})
    assert {name for name, message in given.items() if message.source.path in plain_verdicts(given.values())} == {
        *PLAIN
    }


def test_a_schema_that_cannot_be_compiled_gives_no_verdict_that_differs() -> None:
    given = messages({**PLAIN, "a type that does not exist": {"properties": {"a": {"type": "int"}}}})
    verdicts = plain_verdicts(given.values())
    known = {name: message for name, message in given.items() if message.source.path in verdicts}
    assert "a type that does not exist" not in known
    assert {name: as_listed(verdicts[each.source.path], each) for name, each in known.items()} == {
        name: alone(each) for name, each in known.items()
    }
