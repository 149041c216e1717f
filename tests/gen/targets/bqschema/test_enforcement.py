"""What the SDKs enforce of an exported schema, held against the validator of the Python SDK."""

from __future__ import annotations

import pytest
from babelqueue.schema import validate_schema
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.gen.targets.bqschema.enforcement import not_enforced, safe_spelling
from babelreg.schema.dialects import DIALECTS
from babelreg.schema.pointer import text


@pytest.mark.parametrize(
    "schema, ignored",
    [
        pytest.param({"type": "object", "required": ["a"], "additionalProperties": False}, [], id="an object"),
        pytest.param({"type": "string", "minLength": 1, "maxLength": 2}, [("", "maxLength")], id="the longest text"),
        pytest.param({"minLength": 1}, [("", "minLength")], id="a keyword without a type"),
        pytest.param({"type": ["string", "null"], "minLength": 1}, [("", "type"), ("", "minLength")], id="two types"),
        pytest.param(
            {"type": "object", "properties": {"a": {"items": {}, "type": "array", "minItems": 1}}},
            [("/properties/a", "minItems")],
            id="a property",
        ),
        pytest.param(
            {"type": "array", "items": [{"type": "null"}]}, [("", "items")], id="a tuple",
        ),
        pytest.param(
            {"type": "array", "items": {"anyOf": [{"type": "null"}]}}, [("/items", "anyOf")], id="a union, once",
        ),
        pytest.param({"type": "object", "additionalProperties": {"type": "null"}}, [("", "additionalProperties")], id="a map"),
        pytest.param({"enum": ["a"], "title": "T", "x-unit": "m"}, [], id="annotations"),
        pytest.param({"type": "integer", "enum": [1]}, [("", "allOf")], id="numbers in an enumeration"),
        pytest.param({"type": "string", "enum": ["a"], "x-open-enum": True}, [], id="known values"),
    ],
)  # fmt: skip
def test_the_keywords_that_the_sdks_ignore_are_listed(schema, ignored):
    assert [(text(pointer), keyword) for pointer, keyword in not_enforced(safe_spelling(schema))] == ignored


NAMES = st.sampled_from(["a", "b", "c"])
SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, 1.5, "", "a", "ab"])
VALUES = st.recursive(
    SCALARS,
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(NAMES, below, max_size=3)),
    max_leaves=6,
)
TYPES = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])


def _holding(below):
    return st.fixed_dictionaries(
        {"type": TYPES},
        optional={
            "enum": st.lists(VALUES, min_size=1, max_size=3, unique_by=repr),
            "const": VALUES,
            "minLength": st.integers(0, 2),
            "minimum": st.sampled_from([0, 1, 1.5]),
            "required": st.lists(NAMES, min_size=1, max_size=2, unique=True),
            "properties": st.dictionaries(NAMES, st.one_of(below, st.booleans()), max_size=2),
            "patternProperties": st.just({"^b": {}}),
            "additionalProperties": st.one_of(st.booleans(), below),
            "items": below,
            "anyOf": st.lists(below, min_size=1, max_size=2),
        },
    )


@settings(max_examples=fewer(50))
@given(
    st.recursive(st.fixed_dictionaries({}, optional={"type": TYPES}), _holding, max_leaves=6),
    st.lists(VALUES, min_size=5, max_size=15),
)
def test_the_sdks_refuse_nothing_that_is_valid_and_everything_invalid_where_no_keyword_is_listed(schema, documents):
    spelled = safe_spelling(schema)
    draft7 = DIALECTS["draft7"]
    original, written = draft7.validator_for(schema, formats=False), draft7.validator_for(spelled, formats=False)
    complete = not any(not_enforced(spelled))
    for document in documents:
        assert original.is_valid(document) == written.is_valid(document), (schema, spelled, document)
        refused = validate_schema(spelled, document) is not None
        if written.is_valid(document):
            assert not refused, (spelled, document)
        elif complete:
            assert refused, (spelled, document)
