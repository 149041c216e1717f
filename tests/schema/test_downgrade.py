"""Schemas of 2020-12 in draft-07: what each keyword becomes, and the law that no verdict changes."""

from __future__ import annotations

import jsonschema
import pytest
from examples import fewer
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from schema_strategies import NAMES, TYPES, VALUES

from babelreg.schema.dialects import DEFAULT, DIALECTS
from babelreg.schema.downgrade import downgraded
from babelreg.schema.pointer import text

DRAFT7 = DIALECTS["draft7"]


@pytest.mark.parametrize(
    "schema, expected",
    [
        pytest.param(
            {"$defs": {"a": {}}, "properties": {"p": {"$ref": "#/$defs/a"}}},
            {"definitions": {"a": {}}, "properties": {"p": {"$ref": "#/definitions/a"}}},
            id="definitions",
        ),
        pytest.param(
            {"$defs": {"a": {}}, "definitions": {"a": {"type": "null"}}, "not": {"$ref": "#/definitions/a"}},
            {"definitions": {"a": {}, "a_2": {"type": "null"}}, "not": {"$ref": "#/definitions/a_2"}},
            id="definitions of both names",
        ),
        pytest.param(
            {"$defs": {"a": {}}, "properties": {"p": {"$ref": "#/$defs/a", "minimum": 1, "description": "D"}}},
            {
                "definitions": {"a": {}},
                "properties": {"p": {"minimum": 1, "description": "D", "allOf": [{"$ref": "#/definitions/a"}]}},
            },
            id="keywords beside a reference",
        ),
        pytest.param({"prefixItems": [{}, {}], "items": False}, {"items": [{}, {}], "additionalItems": False}, id="tuple"),
        pytest.param({"items": {"type": "null"}}, {"items": {"type": "null"}}, id="a list"),
        pytest.param(
            {"prefixItems": [{"type": "null"}], "items": {"$ref": "#/prefixItems/0"}},
            {"items": [{"type": "null"}], "additionalItems": {"$ref": "#/items/0"}},
            id="a reference to an item",
        ),
        pytest.param({"items": {}, "additionalItems": False}, {"items": {}}, id="a keyword that 2020-12 does not know"),
        pytest.param(
            {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}},
            {"dependencies": {"c": {"required": ["d"]}, "a": ["b"]}},
            id="dependencies",
        ),
        pytest.param(
            {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"a": {"minProperties": 3}}},
            {"dependencies": {"a": {"allOf": [{"minProperties": 3}, {"required": ["b"]}]}}},
            id="two dependencies of one name",
        ),
        pytest.param({"contains": {}, "minContains": 0}, {}, id="contains that requires nothing"),
        pytest.param(
            {"properties": {"a": {}}, "unevaluatedProperties": False},
            {"properties": {"a": {}}, "additionalProperties": False},
            id="unevaluated properties of one object",
        ),
        pytest.param(
            {"additionalProperties": {}, "unevaluatedProperties": False}, {"additionalProperties": {}},
            id="unevaluated properties where all are evaluated",
        ),
        pytest.param(
            {"prefixItems": [{}], "unevaluatedItems": False}, {"items": [{}], "additionalItems": False},
            id="unevaluated items of a tuple",
        ),
        pytest.param(
            {"$defs": {"n": {"$dynamicAnchor": "node"}}, "items": {"$dynamicRef": "#node"}},
            {"definitions": {"n": {"$id": "#node"}}, "items": {"$ref": "#node"}},
            id="a dynamic reference with one target",
        ),
        pytest.param(
            {"enum": [{"$ref": "#/$defs/a", "prefixItems": []}]}, {"enum": [{"$ref": "#/$defs/a", "prefixItems": []}]},
            id="data that looks like a schema",
        ),
    ],
)  # fmt: skip
def test_a_schema_is_spelled_in_draft_07(schema, expected):
    result = downgraded(schema)
    assert result.schema == expected
    assert result.losses == ()


@pytest.mark.parametrize(
    "schema, losses",
    [
        pytest.param(
            {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False},
            [("", "unevaluatedProperties")],
            id="properties that another subschema evaluates",
        ),
        pytest.param({"items": {"contains": {}, "minContains": 2}}, [("/items", "minContains")], id="two items"),
        pytest.param({"contains": {}, "maxContains": 2}, [("", "maxContains")], id="at most two items"),
        pytest.param({"properties": {"id": {"format": "uuid"}}}, [("/properties/id", "format")], id="a newer format"),
        pytest.param(
            {"$dynamicAnchor": "n", "$defs": {"o": {"$dynamicAnchor": "n"}}, "items": {"$dynamicRef": "#n"}},
            [("/items", "$dynamicRef")],
            id="a dynamic reference with two targets",
        ),
    ],
)
def test_a_meaning_that_draft_07_lacks_is_a_loss_with_its_place(schema, losses):
    assert [(text(loss.pointer), loss.keyword) for loss in downgraded(schema).losses] == losses


def _holding(below):
    by_name, listed = st.dictionaries(NAMES, below, max_size=2), st.lists(below, min_size=1, max_size=2)
    names = st.lists(NAMES, min_size=1, max_size=2, unique=True)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES,
            "enum": st.lists(VALUES, min_size=1, max_size=3, unique_by=repr),
            "required": names,
            "properties": by_name,
            "additionalProperties": st.one_of(below, st.booleans()),
            "additionalItems": st.one_of(below, st.booleans()),
            "unevaluatedProperties": st.one_of(below, st.booleans()),
            "unevaluatedItems": st.one_of(below, st.booleans()),
            "anyOf": listed,
            "not": below,
            "$ref": st.sampled_from(["#/$defs/a", "#/$defs/b"]),
            "contains": below,
            "minContains": st.integers(0, 2),
            "prefixItems": listed,
            "items": st.one_of(below, st.booleans()),
            "dependentRequired": st.dictionaries(NAMES, names, max_size=2),
            "dependentSchemas": by_name,
        },
    )


SCHEMAS = st.recursive(st.fixed_dictionaries({}, optional={"type": TYPES}), _holding, max_leaves=6)


@settings(max_examples=fewer(50))
@given(SCHEMAS, SCHEMAS, st.lists(VALUES, min_size=5, max_size=15))
def test_no_verdict_changes_without_a_loss(root, definition, documents):
    assume("#/$defs/a" not in str(definition))  # no validator need end on a schema that only refers to itself
    schema = {**root, "$defs": {"a": definition, "b": {"type": "string"}}}
    result = downgraded(schema)
    if result.losses:
        return
    for before, after in (
        (DEFAULT.validator_for(schema, formats=False), DRAFT7.validator_for(result.schema, formats=False)),
        (jsonschema.Draft202012Validator(schema), jsonschema.Draft7Validator(result.schema)),
    ):
        for document in documents:
            assert before.is_valid(document) == after.is_valid(document), (schema, result.schema, document)
