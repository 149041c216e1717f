from __future__ import annotations

from typing import Any

import pytest

from babelreg.breaking.mint.example_migration import ExampleAdapter

SCHEMA: Any = {
    "type": "object",
    "required": ["id", "total"],
    "properties": {
        "id": {"type": "string", "format": "uuid"},
        "total": {"type": "object", "required": ["minor"], "properties": {"minor": {"type": "integer", "minimum": 1}}},
        "lines": {"type": "array", "items": {"enum": ["a", "b"]}},
    },
}
ID = "123e4567-e89b-12d3-a456-426614174000"


@pytest.mark.parametrize(
    "example, mended",
    [
        pytest.param({"id": ID, "total": {"minor": 5}}, {"id": ID, "total": {"minor": 5}}, id="still valid"),
        pytest.param({"id": ID}, {"id": ID, "total": {"minor": 1}}, id="a required property is added"),
        pytest.param({"id": "7", "total": {"minor": 5}}, {"id": ID, "total": {"minor": 5}}, id="a value is replaced"),
        pytest.param(
            {"id": ID, "total": {"minor": 5, "old": 1}, "older": 2},
            {"id": ID, "total": {"minor": 5}},
            id="what is not declared is left out",
        ),
        pytest.param(
            {"id": ID, "total": {"minor": 5}, "lines": ["a", "c"]},
            {"id": ID, "total": {"minor": 5}, "lines": ["a", "a"]},
            id="in an item",
        ),
        pytest.param("text", {"id": ID, "total": {"minor": 1}}, id="nothing of it can stay"),
    ],
)
def test_mended(example: Any, mended: Any) -> None:
    before = repr(example)
    assert ExampleAdapter(SCHEMA, strict=False).adapted(example) == mended
    assert repr(example) == before


def test_the_plainest_document() -> None:
    assert ExampleAdapter(SCHEMA, strict=False).plainest() == {"id": ID, "total": {"minor": 1}}
    assert (
        ExampleAdapter({"type": "object", "required": ["a"], "properties": {"a": False}}, strict=False).plainest()
        is None
    )


def test_what_cannot_be_mended() -> None:
    assert ExampleAdapter({"type": "object", "not": {}}, strict=False).adapted({"a": 1}) is None


def test_an_address_that_is_filled_in_is_nobodys() -> None:
    schema = {"type": "object", "required": ["to"], "properties": {"to": {"type": "string", "format": "email"}}}
    assert ExampleAdapter(schema, strict=False).adapted({}) == {"to": "ada@example.com"}
    short = {**schema, "properties": {"to": {"type": "string", "format": "email", "maxLength": 8}}}
    assert ExampleAdapter(short, strict=False).adapted({}) == {"to": "a@b.co"}
