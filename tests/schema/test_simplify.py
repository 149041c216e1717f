"""Copies of a schema without what has no effect."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.schema.simplify import ref_siblings, without_annotations, without_ref_siblings

DRAFT7 = "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize(
    "schema, left",
    [
        pytest.param({"title": "A", "type": "object"}, {"type": "object"}, id="a title"),
        pytest.param(
            {"properties": {"title": {"title": "A"}}}, {"properties": {"title": {}}}, id="a property named title"
        ),
        pytest.param({"x-unit": "ms", "x-open-enum": True}, {"x-open-enum": True}, id="extensions, but for open enums"),
        pytest.param({"enum": [{"title": "A"}]}, {"enum": [{"title": "A"}]}, id="values stay"),
        pytest.param({"anyOf": [{"default": 1}, True]}, {"anyOf": [{}, True]}, id="in a list"),
        pytest.param(
            {"$ref": "#/x-parts/a", "x-parts": {"a": {"title": "A"}}},
            {"$ref": "#/x-parts/a", "x-parts": {"a": {"title": "A"}}},
            id="what a reference needs stays",
        ),
        *(
            pytest.param(
                {**reference, "title": "A", "x-d": {"s": {"title": "A"}}, "b": {"default": {}}},
                {**reference, "title": "A", "x-d": {"s": {"title": "A"}}, "b": {"default": {}}},
                id=f"what {reference} needs stays",
            )
            for reference in (
                {"$ref": "#/%78-d/s"},
                {"$ref": "#/b/%64efault"},
                {"$ref": "#/b%2Fdefault"},
                {"$dynamicRef": "#/x-d"},
                {"$recursiveRef": "#/default"},
            )
        ),
        *(
            pytest.param(
                {"$ref": "#n", "title": "A", "x-d": [{"s": named}]},
                {"$ref": "#n", "title": "A", "x-d": [{"s": named}]},
                id=f"what is called {named} stays",
            )
            for named in ({"$anchor": "n"}, {"$dynamicAnchor": "n"}, {"$id": "#n"}, {"id": "#n"})
        ),
        pytest.param(
            {"$ref": "#n", "title": "A", "$defs": {"a": {"$anchor": "n"}}},
            {"$ref": "#n", "$defs": {"a": {"$anchor": "n"}}},
            id="a name outside of annotations",
        ),
        pytest.param({"$ref": "#/$defs/a%2578-d", "title": "A"}, {"$ref": "#/$defs/a%2578-d"}, id="no annotation"),
    ],
)
def test_without_annotations(schema: Any, left: Any) -> None:
    before = repr(schema)
    assert without_annotations(schema, formats=True) == left
    assert repr(schema) == before


def test_a_format_that_nobody_asserts_may_be_left_out() -> None:
    schema = {"properties": {"format": {"format": "int64"}, "at": {"format": "ip-address"}}}
    assert without_annotations(schema, formats=True) == schema
    asserted = without_annotations(schema, formats=True, asserted=True)
    assert asserted == {"properties": {"format": {}, "at": {"format": "ip-address"}}}


def test_formats_stay_where_they_are_asserted() -> None:
    assert without_annotations({"format": "date"}, formats=True) == {"format": "date"}
    assert without_annotations({"format": "date"}, formats=False) == {}


@pytest.mark.parametrize(
    "schema, kept",
    [
        pytest.param({"$ref": "#/definitions/a", "type": "string"}, {"$ref": "#/definitions/a"}, id="at the root"),
        pytest.param(
            {"properties": {"a": {"$ref": "#/definitions/a", "title": "A"}}},
            {"properties": {"a": {"$ref": "#/definitions/a"}}},
            id="at a property",
        ),
        pytest.param(
            {"allOf": [{"$ref": "#/definitions/a", "allOf": [{"$ref": "#/definitions/a", "not": {}}]}]},
            {"allOf": [{"$ref": "#/definitions/a"}]},
            id="one inside another",
        ),
        pytest.param({"enum": [{"$ref": "a", "b": 1}]}, {"enum": [{"$ref": "a", "b": 1}]}, id="values are not schemas"),
        pytest.param(
            {"not": {"$ref": "#/not/x", "x": {"type": "string"}}},
            {"not": {"$ref": "#/not/x", "x": {"type": "string"}}},
            id="a keyword into which a reference leads stays",
        ),
        *(
            pytest.param(
                {"not": {"$ref": reference, "$id": "#n", "properties": {"p": {"$id": "#m"}}}},
                {"not": {"$ref": reference, "$id": "#n", "properties": {"p": {"$id": "#m"}}}},
                id=f"so does one that {reference} names",
            )
            for reference in ("#n", "#m", "#/not/%70roperties/p")
        ),
    ],
)
def test_without_ref_siblings(schema: Any, kept: Any) -> None:
    definitions = {"definitions": {"a": {"minimum": 1}}}
    given = {"$schema": DRAFT7, **schema, **definitions}
    before = repr(given)
    assert without_ref_siblings(given) == {"$schema": DRAFT7, **kept, **definitions}
    assert repr(given) == before
    assert without_ref_siblings({**schema, **definitions}) == {**schema, **definitions}


def test_siblings_are_listed_with_their_place() -> None:
    schema = {"$schema": DRAFT7, "items": {"$ref": "#/definitions/a", "type": "string"}, "definitions": {"a": {}}}
    assert list(ref_siblings(schema)) == [(("items",), "type")]
    assert list(ref_siblings({**schema, "$schema": "https://json-schema.org/draft/2020-12/schema"})) == []


def test_a_schema_without_siblings_is_not_copied() -> None:
    schema = {"$schema": DRAFT7, "$ref": "#/definitions/a", "definitions": {"a": {}}}
    assert without_ref_siblings(schema) is schema
