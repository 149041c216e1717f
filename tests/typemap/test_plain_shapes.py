"""Shapes of plain properties come from a cache: they are those that the schema alone gives."""

from __future__ import annotations

import pytest

from babelreg.typemap import plain_shapes, shapes
from babelreg.typemap.go import types as go
from babelreg.typemap.php import types as php
from babelreg.typemap.python import types as python
from babelreg.typemap.typescript import types as typescript

LANGUAGES = {"go": go.shape_of, "php": php.shape_of, "python": python.shape_of, "typescript": typescript.shape_of}

# Neighbours differ by as little as two schemas can.
PROPERTIES = [
    {"type": "string"},
    {"type": "string", "description": "A."},
    {"type": "string", "description": "B."},
    {"type": "string", "deprecated": True},
    {"type": "string", "format": "date-time"},
    {"type": ["string", "null"]},
    {"type": ["null", "string"]},
    {"type": "integer", "minimum": 0},
    {"type": "integer", "minimum": 1},
    {"type": "integer", "minimum": 1.0},
    {"type": "integer", "minimum": 1, "maximum": 5},
    {"type": "integer", "maximum": 5, "minimum": 1},
    {"type": "string", "enum": ["a", "b"]},
    {"type": "string", "enum": ["b", "a"]},
    {"type": "string", "enum": ["a", "b"], "x-open-enum": True},
    {"type": ["integer", "boolean"], "enum": [1]},
    {"type": ["integer", "boolean"], "enum": [True]},
]


@pytest.fixture(autouse=True)
def empty_cache():
    plain_shapes._shapes.cache_clear()
    yield
    plain_shapes._shapes.cache_clear()


def message(*properties):
    return {"type": "object", "properties": {f"p{number}": schema for number, schema in enumerate(properties)}}


def alone(shape_of, schema):
    plain_shapes._shapes.cache_clear()
    return shape_of(schema, "Message")


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_messages_do_not_change_a_shape(language):
    shape_of = LANGUAGES[language]
    expected = [alone(shape_of, message(each)) for each in PROPERTIES]
    plain_shapes._shapes.cache_clear()
    shape_of(message(*PROPERTIES), "Other")
    assert [shape_of(message(each), "Message") for each in PROPERTIES] == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_messages_do_not_change_how_much_of_a_large_message_has_types(language, monkeypatch):
    monkeypatch.setattr(shapes, "_MAX_STEPS", 7)
    shape_of, large = LANGUAGES[language], message(*PROPERTIES)
    expected = alone(shape_of, large)
    assert shape_of(large, "Message") == expected
    shape_of(message(*PROPERTIES[10:]), "Other")
    assert shape_of(large, "Message") == expected


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(True, id="a boolean schema"),
        pytest.param({}, id="no type"),
        pytest.param({"type": "array"}, id="a list"),
        pytest.param({"type": ["string", "object"]}, id="a text or an object"),
        pytest.param({"$ref": "#/$defs/A"}, id="a reference"),
        pytest.param({"type": "string", "allOf": [{"maxLength": 3}]}, id="a conjunction"),
        pytest.param({"type": "string", "x-later": 1}, id="a keyword that is not known to be plain"),
        pytest.param({"type": 5}, id="a type that cannot be read"),
    ],
)
def test_other_schemas_are_not_plain(schema):
    assert plain_shapes.plain_key(schema) is None


def test_the_cache_is_bounded(monkeypatch):
    monkeypatch.setattr(plain_shapes, "_MOST", 3)
    for number in range(9):
        php.shape_of(message({"type": "string", "maxLength": number}), "Message")
        assert len(plain_shapes.plain_shapes(php._PHP)) <= 4
