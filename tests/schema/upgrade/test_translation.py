"""Schemas of older dialects in 2020-12: what each keyword becomes, and the law that no verdict changes."""

from __future__ import annotations

import jsonschema
import pytest
from examples import fewer
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from schema_strategies import VALUES, schemas_of

from babelreg.schema.dialects import DEFAULT, DIALECTS
from babelreg.schema.pointer import text
from babelreg.schema.upgrade import upgraded


@pytest.mark.parametrize(
    "dialect, old, new",
    [
        pytest.param(
            "draft4", {"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}, id="an exclusive limit"
        ),
        pytest.param("draft4", {"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}, id="an inclusive limit"),
        pytest.param("draft4", {"exclusiveMinimum": True}, {}, id="an exclusive limit without a limit"),
        pytest.param(
            "draft4", {"id": "http://x/y#", "type": "null"}, {"$id": "http://x/y", "type": "null"}, id="an identifier"
        ),
        pytest.param("draft4", {"const": 1, "if": {}, "then": False}, {}, id="keywords that draft-04 does not know"),
        pytest.param(
            "draft7", {"$schema": "http://json-schema.org/draft-07/schema#"}, {}, id="the name of the dialect"
        ),
        pytest.param("draft7", {"dependentRequired": {"a": ["b"]}}, {}, id="keywords that draft-07 does not know"),
        pytest.param(
            "draft7", {"items": [{}, {"type": "null"}]}, {"prefixItems": [{}, {"type": "null"}]}, id="a tuple"
        ),
        pytest.param(
            "draft7",
            {"items": [{}], "additionalItems": False},
            {"prefixItems": [{}], "items": False},
            id="a closed tuple",
        ),
        pytest.param("draft7", {"items": [], "additionalItems": False}, {"items": False}, id="an empty tuple"),
        pytest.param("draft7", {"items": {}, "additionalItems": False}, {"items": {}}, id="additional items of a list"),
        pytest.param(
            "draft7",
            {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
            {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}},
            id="dependencies of both kinds",
        ),
        pytest.param(
            "draft7",
            {"$ref": "#/definitions/a", "minimum": 3, "title": "T", "definitions": {"a": {"type": "integer"}}},
            {"$ref": "#/$defs/a", "title": "T", "$defs": {"a": {"type": "integer"}}},
            id="what a $ref makes void",
        ),
        pytest.param(
            "draft7",
            {"definitions": {"a": {"type": "null"}}, "$defs": {"a": {}}, "items": {"$ref": "#/definitions/a"}},
            {"$defs": {"a": {}, "a_2": {"type": "null"}}, "items": {"$ref": "#/$defs/a_2"}},
            id="definitions of one name in two places",
        ),
        pytest.param(
            "draft7",
            {"items": [{"type": "null"}], "additionalItems": {"$ref": "#/items/0"}},
            {"prefixItems": [{"type": "null"}], "items": {"$ref": "#/prefixItems/0"}},
            id="a reference to an item",
        ),
        pytest.param(
            "draft7",
            {"dependencies": {"a/b": {"minProperties": 2}}, "not": {"$ref": "#/dependencies/a~1b"}},
            {"dependentSchemas": {"a/b": {"minProperties": 2}}, "not": {"$ref": "#/dependentSchemas/a~1b"}},
            id="a reference to a dependency",
        ),
        pytest.param(
            "draft7",
            {"definitions": {'50%/"a"': {}}, "not": {"$ref": "#/definitions/50%25~1%22a%22"}},
            {"$defs": {'50%/"a"': {}}, "not": {"$ref": "#/$defs/50%25~1%22a%22"}},
            id="a reference with escapes",
        ),
        pytest.param(
            "draft7",
            {"x-parts": {"list": [{"items": [{}]}]}, "not": {"$ref": "#/x-parts/list/0"}},
            {"x-parts": {"list": [{"prefixItems": [{}]}]}, "not": {"$ref": "#/x-parts/list/0"}},
            id="a reference to a schema below an unknown keyword",
        ),
        pytest.param(
            "draft7",
            {"properties": {"definitions": {"items": [{}]}, "default": {"$ref": "#/properties/definitions"}}},
            {"properties": {"definitions": {"prefixItems": [{}]}, "default": {"$ref": "#/properties/definitions"}}},
            id="properties named like keywords",
        ),
        pytest.param(
            "draft7",
            {"enum": [{"items": [1], "$ref": "#/definitions/a"}], "default": {"definitions": {}}},
            {"enum": [{"items": [1], "$ref": "#/definitions/a"}], "default": {"definitions": {}}},
            id="data that looks like a schema",
        ),
        pytest.param("draft7", {"items": {"$id": "#part"}}, {"items": {"$anchor": "part"}}, id="an anchor"),
        pytest.param(
            "draft2019-09", {"items": {"$recursiveRef": "#"}}, {"items": {"$ref": "#"}}, id="a recursive reference"
        ),
        pytest.param(
            "draft2019-09", {"items": [True], "prefixItems": [False]}, {"prefixItems": [True]}, id="a tuple of 2019-09"
        ),
        pytest.param(
            "draft2020-12",
            {"prefixItems": [{}], "items": False},
            {"prefixItems": [{}], "items": False},
            id="2020-12 itself",
        ),
    ],
)
def test_a_schema_is_spelled_in_2020_12(dialect, old, new):
    result = upgraded(old, DIALECTS[dialect])
    assert result.schema == new
    assert result.losses == ()


@pytest.mark.parametrize(
    "dialect, schema, losses",
    [
        pytest.param(
            "draft4", {"items": {"type": ["integer", "null"]}}, [("/items", "type")], id="integers of draft-04"
        ),
        pytest.param(
            "draft7", {"properties": {"id": {"format": "uuid"}}}, [("/properties/id", "format")], id="a newer format"
        ),
        pytest.param("draft7", {"format": "date"}, [], id="a format of the dialect"),
        pytest.param("draft7", {"contentEncoding": "base64"}, [("", "contentEncoding")], id="content"),
        pytest.param(
            "draft2019-09",
            {"contains": {}, "unevaluatedItems": False},
            [("", "unevaluatedItems")],
            id="contained items",
        ),
        pytest.param("draft7", {"items": {"$id": "http://x/y"}}, [("/items", "$id")], id="an embedded resource"),
        pytest.param(
            "draft7",
            {"$ref": "#/properties/a", "properties": {"a": {}}},
            [("", "$ref")],
            id="a reference into what is void",
        ),
        pytest.param(
            "draft2019-09",
            {"$ref": "#/$defs/a", "$recursiveRef": "#", "$defs": {"a": {}}},
            [("", "$recursiveRef")],
            id="two references",
        ),
    ],
)
def test_a_meaning_that_2020_12_lacks_is_a_loss_with_its_place(dialect, schema, losses):
    found = upgraded(schema, DIALECTS[dialect]).losses
    assert [(text(loss.pointer), loss.keyword) for loss in found] == losses


def test_formats_that_are_annotations_are_not_lost():
    assert upgraded({"format": "uuid"}, DIALECTS["draft7"], formats=False).losses == ()


def _judges(schema, dialect):
    peer = {"draft2019-09": "Draft201909Validator", "draft2020-12": "Draft202012Validator"}
    python = getattr(jsonschema, peer.get(dialect.name, f"{dialect.name.title()}Validator"))(schema)
    return dialect.validator_for(schema, formats=False).is_valid, python.is_valid


@pytest.mark.parametrize("dialect", ["draft4", "draft6", "draft7", "draft2019-09"])
@settings(max_examples=fewer(20, 30))
@given(data=st.data())
def test_no_verdict_changes(dialect, data):
    schemas = schemas_of(dialect)
    old = {**data.draw(schemas), "definitions": {"a": data.draw(schemas), "b": {"type": "string"}}}
    _assume_terminating(old)
    result = upgraded(old, DIALECTS[dialect])
    assert result.losses == ()
    before, after = _judges(old, DIALECTS[dialect]), _judges(result.schema, DEFAULT)
    for document in data.draw(st.lists(VALUES, min_size=5, max_size=15)):
        for judge, other in zip(before, after, strict=True):
            assert judge(document) == other(document), (old, result.schema, document)


def _assume_terminating(schema):
    """Draw another schema where the definition refers to itself: no validator need end on it."""
    assume("#/definitions/a" not in str(schema["definitions"]["a"]))
