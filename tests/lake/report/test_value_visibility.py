"""What a schema says of the values at a place: in doubt they are personal, or undeclared."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.lake.report.value_visibility import SchemaLocation, SchemaLocations

INTEGER = {"type": "integer"}


def place(schema: Any, *steps: str | int) -> SchemaLocation:
    places = SchemaLocations(schema)
    here = places.root()
    for step in steps:
        here = places.item(here) if isinstance(step, int) else places.below(here, step)
    return here


@pytest.mark.parametrize(
    "schema, steps, value, shows",
    [
        pytest.param({"properties": {"a": INTEGER}}, ("a",), 5, True, id="a declared number"),
        pytest.param({"properties": {"a": INTEGER}}, ("a",), "5", False, id="a text where a number belongs"),
        pytest.param({"properties": {"a": INTEGER}}, ("b",), 5, False, id="an undeclared name"),
        pytest.param({"properties": {"a": {"type": "boolean"}}}, ("a",), True, True, id="a declared boolean"),
        pytest.param({"properties": {"a": INTEGER}}, ("a",), True, False, id="a boolean where a number belongs"),
        pytest.param({"properties": {"a": {"type": "string"}}}, ("a",), "x", False, id="a free text"),
        pytest.param({"properties": {"a": {"enum": ["x", "y"]}}}, ("a",), "x", True, id="a listed text"),
        pytest.param({"properties": {"a": {"enum": ["x", "y"]}}}, ("a",), "z", False, id="a text that is not listed"),
        pytest.param({"properties": {"a": {"const": "x"}}}, ("a",), "x", True, id="the one text"),
        pytest.param({"properties": {"a": {"format": "date"}}}, ("a",), "2026-11-20", True, id="a day"),
        pytest.param({"properties": {"a": {"format": "date"}}}, ("a",), "anna smith", False, id="no day"),
        pytest.param({"properties": {"a": {"items": INTEGER}}}, ("a", 0), 5, True, id="an item"),
        pytest.param(
            {"additionalProperties": INTEGER}, ("a",), 5, False, id="a value of a map: its key may be anything"
        ),
        pytest.param(
            {"$ref": "#/$defs/x", "$defs": {"x": {"properties": {"a": INTEGER}}}}, ("a",), 5, True, id="a reference"
        ),
        pytest.param({"anyOf": [{"properties": {"a": INTEGER}}, {}]}, ("a",), 5, True, id="a branch"),
        pytest.param(
            {"$ref": "https://elsewhere", "properties": {"a": INTEGER}},
            ("a",),
            5,
            False,
            id="a reference that leads out",
        ),
        pytest.param(
            {"properties": {"a": {"$ref": "#/properties/a", "type": "integer"}}}, ("a",), 5, True, id="a circle"
        ),
    ],
)
def test_a_value_is_shown_where_the_schema_says_what_it_may_be(
    schema: Any, steps: tuple[str | int, ...], value: Any, shows: bool
) -> None:
    assert place(schema, *steps).shows(value) is shows


MARKED = {"type": "integer", "x-gdpr-sensitive": "age"}


@pytest.mark.parametrize(
    "schema, steps, category",
    [
        pytest.param({"properties": {"a": MARKED}}, ("a",), "age", id="at the place"),
        pytest.param(
            {"properties": {"a": {"x-gdpr-sensitive": True, "properties": {"b": INTEGER}}}},
            ("a", "b"),
            "",
            id="above it",
        ),
        pytest.param(
            {"properties": {"a": INTEGER}, "patternProperties": {"^z": MARKED}},
            ("a",),
            "age",
            id="by a pattern, matching or not",
        ),
        pytest.param({"additionalProperties": MARKED}, ("a",), "age", id="on all other names"),
        pytest.param(
            {"properties": {"a": INTEGER}, "additionalProperties": MARKED}, ("a",), None, id="on other names alone"
        ),
        pytest.param(
            {"oneOf": [{"properties": {"a": MARKED}}, {"properties": {"a": INTEGER}}]},
            ("a",),
            "age",
            id="in one branch",
        ),
        pytest.param(
            {"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": MARKED}}, ("a",), "age", id="behind a reference"
        ),
        pytest.param({"properties": {"a": {"items": MARKED}}}, ("a", 0), "age", id="on items"),
        pytest.param({"properties": {"a": {**INTEGER, "x-gdpr-sensitive": False}}}, ("a",), None, id="said not to be"),
        pytest.param({"$ref": "https://elsewhere", "properties": {"a": INTEGER}}, ("a",), "", id="in doubt"),
    ],
)
def test_a_place_is_personal_where_a_mark_is_on_its_way(
    schema: Any, steps: tuple[str | int, ...], category: str | None
) -> None:
    found = place(schema, *steps)
    assert found.sensitive == category
    assert not (found.shows(5) and category is not None)


KEYWORDS = ["properties", "patternProperties", "additionalProperties", "items", "prefixItems", "anyOf", "$ref", "$defs"]
OTHERS = ["enum", "type", "format", "const", "if", "x-gdpr-sensitive", "$schema", "a", "#", "#/$defs/a", "integer"]
WORDS = st.sampled_from([*KEYWORDS, *OTHERS])
ANYTHING = st.recursive(
    WORDS | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(WORDS, ANYTHING, max_size=5), st.lists(WORDS | st.just(0), max_size=4), ANYTHING)
def test_no_schema_however_wrong_stops_the_walk(schema: Any, steps: list[str | int], value: Any) -> None:
    found = place(schema, *steps)
    assert not (found.shows("some text") and found.sensitive is not None)
    assert found.shows(value) in (True, False)
