"""What is called a contradiction is one: no value satisfies the schemas together."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.lint.schema.satisfiability import contradiction
from babelreg.schema.values import equality_key

NAMES = st.sampled_from(["a", "b"])
BOUNDS = st.sampled_from([0, 1, 2, 0.5, 1.5, 1.0])
SIZES = st.integers(0, 2)
SCALARS = st.sampled_from(["", "a", "b", 0, 1, 1.0, 1.5, 2, True, False, None])
VALUES = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=2) | st.dictionaries(NAMES, below, max_size=2), max_leaves=4
)
TYPES = st.sampled_from(["string", "integer", "number", "object", "array", "null", "boolean"])
PARTS = st.fixed_dictionaries(
    {},
    optional={
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
        "enum": st.lists(VALUES, max_size=3),
        "const": VALUES,
        "minimum": BOUNDS,
        "exclusiveMinimum": BOUNDS,
        "maximum": BOUNDS,
        "exclusiveMaximum": BOUNDS,
        "minLength": SIZES,
        "maxLength": SIZES,
        "minItems": SIZES,
        "maxItems": SIZES,
        "required": st.lists(NAMES, unique=True),
        "properties": st.dictionaries(NAMES, st.sampled_from([True, False, {}, {"not": {}}])),
        "additionalProperties": st.booleans(),
        "maxProperties": SIZES,
        "not": st.sampled_from([{}, {"type": "string"}]),
    },
)
# Bounds that cross leave what is of no concern to them: text may be valid beside minimum 2, maximum 1.
OF_ONE_TYPE = {
    "minimum": (int, float),
    "exclusiveMinimum": (int, float),
    "maximum": (int, float),
    "exclusiveMaximum": (int, float),
    "minLength": str,
    "maxLength": str,
    "minItems": list,
    "maxItems": list,
    "required": dict,
}


@settings(max_examples=fewer(80, 200), deadline=None)
@given(st.lists(PARTS, min_size=1, max_size=3), st.lists(VALUES, min_size=5, max_size=30))
def test_nothing_satisfies_what_contradicts_itself(parts: list[Any], values: list[Any]) -> None:
    found = contradiction(parts)
    if found is None:
        return
    validator = jsonschema_rs.validator_for({"allOf": parts})
    concerned = OF_ONE_TYPE.get(found.keyword, object)
    for value in values:
        if isinstance(value, concerned) and not (concerned == (int, float) and isinstance(value, bool)):
            assert not validator.is_valid(value), (value, found.why)


@pytest.mark.parametrize(
    "one, other, equal",
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ("1", 1, False),
        ({"a": 1, "b": [2.0]}, {"b": [2], "a": 1}, True),
        ([1, 2], [2, 1], False),
        (None, "null", False),
    ],
)
def test_values_are_the_same_as_json_sees_them(one: Any, other: Any, equal: bool) -> None:
    assert (equality_key(one) == equality_key(other)) is equal


@pytest.mark.parametrize(
    "schema, found",
    [
        pytest.param({"type": "integer", "minimum": 10**390, "maximum": 10**390}, None, id="one value is left"),
        pytest.param({"minimum": 10**390, "maximum": 0.5}, "maximum", id="none is left"),
        pytest.param({"minimum": -(10**390), "maximum": 0.5}, None, id="many are left"),
    ],
)
def test_bounds_may_have_more_digits_than_a_float_has_room_for(schema: Any, found: str | None) -> None:
    said = contradiction([schema])
    assert (said and said.keyword) == found
