"""Limits in annotations refuse what the contract refuses, and never what it admits."""

from __future__ import annotations

from typing import Annotated, Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, TypeAdapter, ValidationError

from babelreg.typemap.python.field_limits import ARGUMENTS, field_limits

TYPES: dict[str, Any] = {"integer": int, "number": float, "string": str, "array": list[Any], "object": dict[str, Any]}


@pytest.mark.parametrize(
    "kind, parts, limits",
    [
        pytest.param("integer", [{"minimum": 1, "maximum": 5}], {"minimum": 1, "maximum": 5}, id="a range"),
        pytest.param("integer", [{"minimum": 1.5, "maximum": 2.0}], {"minimum": 2, "maximum": 2}, id="bounds of integers are integers"),
        pytest.param("integer", [{"exclusiveMinimum": 1.5, "exclusiveMaximum": 1.5}],
                     {"exclusiveMinimum": 1, "exclusiveMaximum": 2}, id="exclusive fractions"),
        pytest.param("integer", [{"multipleOf": 5.0}], {"multipleOf": 5}, id="multiples of an integer"),
        pytest.param("integer", [{"multipleOf": 0.5}], {}, id="multiples of a fraction"),
        pytest.param("number", [{"multipleOf": 5}], {}, id="multiples among floats"),
        pytest.param("number", [{"maximum": 10**400}], {}, id="a bound that no float has"),
        pytest.param("number", [{"minimum": True}], {}, id="a bound that is none"),
        pytest.param("string", [{"minLength": 1.0}], {"minLength": 1}, id="a length"),
        pytest.param("string", [{"minLength": -1}], {}, id="a length that is none"),
        pytest.param("string", [{"minLength": 1}, {"minLength": 1, "maxLength": 2}], {"minLength": 1, "maxLength": 2}, id="parts that agree"),
        pytest.param("string", [{"minLength": 1}, {"minLength": 2}], {}, id="parts that differ"),
        pytest.param("string", [{"minItems": 1}], {}, id="a limit of another type"),
        pytest.param("string", [{"pattern": "^[A-Z]{3}$"}], {"pattern": "^[A-Z]{3}$"}, id="a pattern"),
        pytest.param("array", [{"minItems": 1, "uniqueItems": True}], {"minItems": 1}, id="a number of items"),
        pytest.param("object", [{"maxProperties": 3}], {"maxProperties": 3}, id="a number of members"),
        pytest.param("boolean", [{"minimum": 1}], {}, id="a type without limits"),
    ],
)  # fmt: skip
def test_limits_of_a_type(kind: str, parts: list[dict[str, Any]], limits: dict[str, Any]) -> None:
    assert field_limits(kind, parts) == limits


@pytest.mark.parametrize(
    "pattern",
    [
        r"^\d+$", r"\w", r"[\s]", r"\bword\b", "(?=a)", "(?!a)", r"(a)\1", r"\p{L}", r"\u0041", "[[]", "[a&&b]", "a]", "a{1001}",
        "((a{100}){100})", "(", "(?i)a", r"\0", r"\-", "^*", "[]", "[^]", "a" * 3000,
    ],
)  # fmt: skip
def test_a_pattern_that_another_engine_may_read_otherwise_is_left_out(pattern: str) -> None:
    assert field_limits("string", [{"pattern": pattern}]) == {}


def accepts(kind: str, limits: dict[str, Any], value: Any) -> bool:
    """The verdict of pydantic."""
    arguments: dict[str, Any] = {ARGUMENTS[keyword]: limit for keyword, limit in limits.items()}
    adapter: TypeAdapter[Any] = TypeAdapter(Annotated[TYPES[kind], Field(**arguments)])
    try:
        adapter.validate_python(value, strict=True)
    except ValidationError:
        return False
    return True


SETS = st.builds(
    lambda sign, members: f"[{sign}{''.join(members)}]",
    st.sampled_from(["", "^"]),
    st.lists(
        st.sampled_from(["a-z", "0-9", "_", "é", "-", ".", "$", r"\n", r"\x41", r"\]", "&", "~"]),
        min_size=1,
        max_size=3,
    ),
)
PATTERNS = st.recursive(
    st.one_of(SETS, st.sampled_from(["a", "b", "é", ".", "^", "$", r"\.", r"\n", "x", "", " ", "#"])),
    lambda below: st.one_of(
        st.builds("{}{}".format, below, below),
        st.builds("(?:{}|{})".format, below, below),
        st.builds("({})".format, below),
        st.builds("(?:{}){}".format, below, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"])),
    ),
    max_leaves=5,
)
TEXTS = st.text("abxé_-.$\nA]&~ #0\r\u2028😀", max_size=5)


@given(pattern=PATTERNS, texts=st.lists(TEXTS, min_size=1, max_size=5))
def test_a_pattern_has_the_verdict_of_the_contract(pattern: str, texts: list[str]) -> None:
    limits = field_limits("string", [{"pattern": pattern}])
    if limits:
        validator = jsonschema_rs.validator_for({"pattern": pattern})
        for text in texts:
            assert accepts("string", limits, text) == validator.is_valid(text)


NUMBERS = st.one_of(
    st.integers(-5, 5), st.integers(-(2**70), 2**70), st.floats(-4, 4), st.floats(allow_nan=False, allow_infinity=False)
)
BOUNDS = st.dictionaries(
    st.sampled_from(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]), NUMBERS, min_size=1, max_size=2
)


@given(schema=BOUNDS, value=st.integers(-(2**70), 2**70) | st.integers(-6, 6))
def test_bounds_of_integers_have_the_verdict_of_the_contract(schema: dict[str, Any], value: int) -> None:
    limits = field_limits("integer", [schema])
    if limits.keys() == schema.keys():
        assert accepts("integer", limits, value) == jsonschema_rs.is_valid(schema, value)


@given(schema=BOUNDS, value=st.floats(allow_nan=False, allow_infinity=False) | st.floats(-4, 4))
def test_bounds_of_numbers_admit_what_the_contract_admits(schema: dict[str, Any], value: float) -> None:
    if jsonschema_rs.is_valid(schema, value):
        assert accepts("number", field_limits("number", [schema]), value)


@given(schema=st.dictionaries(st.sampled_from(["minLength", "maxLength"]), st.integers(0, 4)), text=TEXTS)
def test_lengths_count_code_points_as_the_contract_does(schema: dict[str, Any], text: str) -> None:
    assert accepts("string", field_limits("string", [schema]), text) == jsonschema_rs.is_valid(schema, text)
