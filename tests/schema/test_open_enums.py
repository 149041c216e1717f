"""Open enums in the spelling of exports: what becomes of them, that nothing valid is refused, and the way back."""

from __future__ import annotations

import copy

import pytest
from examples import fewer
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from schema_strategies import NAMES, SCALARS, TYPES, VALUES

from babelreg.contract.views import reader_view
from babelreg.errors import SchemaError
from babelreg.schema.dialects import DEFAULT
from babelreg.schema.open_enums import restore_open_enum, with_known_values
from babelreg.schema.values import mappings

OPEN = {"type": "string", "enum": ["a"], "x-open-enum": True}
KNOWN = {"type": "string", "examples": ["a"], "x-known-values": ["a"]}


@pytest.mark.parametrize(
    "schema, expected",
    [
        pytest.param(OPEN, KNOWN, id="an open enum"),
        pytest.param({"enum": ["a", 1], "x-open-enum": True}, {
            "type": ["string", "integer"], "examples": ["a", 1], "x-known-values": ["a", 1],
        }, id="the types of the values, where none is declared"),
        pytest.param({"type": ["string", "null"], "enum": ["a"], "x-open-enum": True}, KNOWN, id="no type without a value"),
        pytest.param({**OPEN, "examples": ["b"]}, {**KNOWN, "examples": ["b"]}, id="examples of its own"),
        pytest.param({"enum": ["a"]}, {"enum": ["a"]}, id="a closed enum"),
        pytest.param({"enum": [OPEN]}, {"enum": [OPEN]}, id="data that looks like an open enum"),
        pytest.param({"properties": {"p": OPEN}}, {"properties": {"p": KNOWN}}, id="a property"),
        pytest.param({"not": {"properties": {"p": OPEN}}}, {"not": {"properties": {"p": OPEN}}}, id="below not"),
        pytest.param(
            {"$defs": {"e": {**OPEN}}, "if": {"$ref": "#/$defs/e"}, "then": OPEN},
            {"$defs": {"e": OPEN}, "if": {"$ref": "#/$defs/e"}, "then": KNOWN},
            id="a definition that a condition needs",
        ),
        pytest.param(
            {"oneOf": [{"items": OPEN}, {"minItems": 1}]},
            {"anyOf": [{"items": KNOWN}, {"minItems": 1}], "x-one-of": True},
            id="one of several that become wider",
        ),
        pytest.param(
            {"oneOf": [{"$ref": "#/$defs/e"}], "$defs": {"e": OPEN}},
            {"anyOf": [{"$ref": "#/$defs/e"}], "$defs": {"e": KNOWN}, "x-one-of": True},
            id="one of several, by reference",
        ),
        pytest.param({"oneOf": [OPEN], "anyOf": [{}]}, {"oneOf": [OPEN], "anyOf": [{}]}, id="one of several beside any of"),
    ],
)  # fmt: skip
def test_an_open_enum_is_spelled_as_known_values(schema, expected):
    original = copy.deepcopy(schema)
    assert with_known_values(schema, DEFAULT) == expected
    assert schema == original


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"x-known-values": ["a"]}, id="without a type"),
        pytest.param({"type": "string", "x-known-values": []}, id="an empty list"),
        pytest.param({"type": "string", "x-known-values": ["a"], "enum": ["b"]}, id="beside an enum"),
    ],
)
def test_known_values_of_others_stay(schema):
    original = copy.deepcopy(schema)
    restore_open_enum(schema)
    assert schema == original


def _holding(below):
    listed = st.lists(below, min_size=1, max_size=2)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES,
            "enum": st.lists(SCALARS, min_size=1, max_size=3, unique_by=repr),
            "x-open-enum": st.just(True),
            "properties": st.dictionaries(NAMES, below, max_size=2),
            "items": below,
            "oneOf": listed,
            "anyOf": listed,
            "not": below,
            "if": below,
            "then": below,
            "contains": below,
            "maxContains": st.integers(1, 2),
            "$ref": st.sampled_from(["#/$defs/a", "#/$defs/b"]),
        },
    )


_LEAVES = st.fixed_dictionaries(
    {"enum": st.lists(SCALARS, min_size=1, max_size=2, unique_by=repr)}, optional={"x-open-enum": st.just(True)}
)
SCHEMAS = st.recursive(_LEAVES, _holding, max_leaves=6)


@settings(max_examples=fewer(50))
@given(SCHEMAS, SCHEMAS, st.lists(VALUES, min_size=5, max_size=15))
def test_what_the_registry_accepts_the_export_accepts_and_the_way_back_changes_no_verdict(root, definition, documents):
    assume("#/$defs/a" not in str(definition))  # no validator need end on a schema that only refers to itself
    schema = {**root, "$defs": {"a": definition, "b": OPEN}}
    exported = with_known_values(schema, DEFAULT)
    restored = copy.deepcopy(exported)
    for node in list(mappings(restored)):
        restore_open_enum(node)
    before, after, back = (DEFAULT.validator_for(s, formats=False) for s in (schema, exported, restored))
    for document in documents:
        assert after.is_valid(document) or not before.is_valid(document), (schema, exported, document)
        assert before.is_valid(document) == back.is_valid(document), (schema, restored, document)
    try:
        views = [DEFAULT.validator_for(reader_view(s, DEFAULT), formats=False) for s in (schema, restored)]
    except SchemaError:
        return
    for document in documents:
        assert views[0].is_valid(document) == views[1].is_valid(document), (schema, restored, document)


@settings(max_examples=fewer(50))
@given(SCHEMAS, st.lists(VALUES, min_size=5, max_size=15))
def test_where_nothing_is_negated_the_export_accepts_what_readers_accept(schema, documents):
    assume(not any({"not", "if", "maxContains", "oneOf", "$ref"} & node.keys() for node in mappings(schema)))
    reader = DEFAULT.validator_for(reader_view(schema, DEFAULT), formats=False)
    exported = DEFAULT.validator_for(with_known_values(schema, DEFAULT), formats=False)
    for document in documents:
        assert reader.is_valid(document) == exported.is_valid(document), (schema, document)
