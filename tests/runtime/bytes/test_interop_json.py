"""Data that can stay the same bytes in all languages does; what cannot is named."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.runtime.bytes.interop_json import DEVIATIONS, deviations, encode

# Two of the six encoders, written down again from what their runs showed, for data of the subset alone.


def as_go(value: Any) -> str:
    """Sorts keys, and writes every number as a double: without a fraction where it has none."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{as_go(key)}:{as_go(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(as_go, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{int(value)}" if value == int(value) else repr(float(value))
    return json.dumps(value, ensure_ascii=False)


def as_node(value: Any) -> str:
    """Moves keys like integers to the front and keeps the others as they come; numbers are doubles."""
    if isinstance(value, dict):
        front = sorted((key for key in value if key.isdecimal() and key.isascii() and str(int(key)) == key), key=int)
        keys = front + [key for key in value if key not in front]
        return "{" + ",".join(f"{as_node(key)}:{as_node(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(as_node, value)) + "]"
    return as_go(value)


fractions = st.floats(1e-3, 1e7, exclude_max=True) | st.floats(-1e7, -1e-3, exclude_min=True)
words = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=("C", "Z")) | st.sampled_from(' \t\n\r/<>&"\\'))
keys = words.filter(lambda key: not re.fullmatch(r"-?\d+", key))
scalars = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | fractions | words
portable = st.dictionaries(
    keys,
    st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, min_size=1, max_size=4),
        max_leaves=10,
    ),
    max_size=4,
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@settings(max_examples=fewer(50), deadline=None)
@given(portable)
def test_portable_data_is_written_as_the_others_write_it(data: dict[str, Any]) -> None:
    text = encode(data)
    assert list(deviations(data)) == []
    assert as_go(json.loads(text)) == text
    assert as_node(json.loads(text)) == text
    assert json.loads(text) == data


@settings(max_examples=fewer(60), deadline=None)
@given(st.dictionaries(st.text(), anything, max_size=4))
def test_what_deviates_is_named_and_all_else_is_in_the_subset(data: dict[str, Any]) -> None:
    text = encode(data)
    names = {name for _, name in deviations(data)}
    assert names <= set(DEVIATIONS)
    if not names:
        assert as_go(json.loads(text)) == text == as_node(json.loads(text))
    assert json.loads(text) == data


@settings(deadline=None)
@given(anything)
def test_writing_again_what_was_read_changes_no_byte(value: Any) -> None:
    text = encode({"x": value})
    assert encode(json.loads(text)) == text


@pytest.mark.parametrize(
    "data, name",
    [
        pytest.param({"a": [2**53]}, "integer_beyond_double", id="an integer that no double holds"),
        pytest.param({"a": [-(2**53)]}, "integer_beyond_double", id="a negative one"),
        pytest.param({"a": [1e-4]}, "float_notation", id="a small fraction"),
        pytest.param({"a": [12345678.5]}, "float_notation", id="a fraction in Java's scientific notation"),
        pytest.param({"a": [1e16]}, "float_notation", id="a large double"),
        pytest.param({"a": [-0.0]}, "negative_zero", id="negative zero"),
        pytest.param({"a": [{"12": 1}]}, "integer_like_key", id="a key like an integer"),
        pytest.param({"a": [{}]}, "empty_object", id="an empty object"),
        pytest.param({"a": ["😀"]}, "text_beyond_bmp", id="an emoji"),
        pytest.param({"a": ["\u2028"]}, "text_escaped", id="a line separator"),
        pytest.param({"a": ["\b"]}, "text_escaped", id="backspace"),
        pytest.param({"a": ["\u3000"]}, "text_escaped", id="an ideographic space"),
        pytest.param({"a": ["\x7f"]}, "text_escaped", id="delete"),
    ],
)
def test_a_deviation_has_its_place_and_name(data: dict[str, Any], name: str) -> None:
    ((where, found),) = deviations(data)
    assert found == name
    assert where == "/a/0"
    assert json.loads(encode(data)) == data


@pytest.mark.parametrize(
    "data, text",
    [
        pytest.param({"b": 1, "a": {"d": 1, "c": 2}}, '{"a":{"c":2,"d":1},"b":1}', id="keys are sorted at every depth"),
        pytest.param({"a": [1.0, -2.0, 0.0]}, '{"a":[1,-2,0]}', id="a whole number needs no fraction"),
        pytest.param({"a": 99.90}, '{"a":99.9}', id="a fraction has the digits it needs"),
        pytest.param({"a": -0.0}, '{"a":-0.0}', id="negative zero stays what it is"),
        pytest.param({"a": "1.0,"}, '{"a":"1.0,"}', id="text that looks like a number stays text"),
        pytest.param({"a": "é/<☃>&'"}, '{"a":"é/<☃>&\'"}', id="text is written as it is"),
        pytest.param({}, "{}", id="no data"),
    ],
)
def test_the_form(data: dict[str, Any], text: str) -> None:
    assert encode(data) == text
    assert list(deviations({})) == []


def test_an_empty_key_and_deep_nesting_are_walked() -> None:
    deep: Any = 1e-4
    for _ in range(5000):
        deep = {"": [deep]}
    ((where, name),) = deviations(deep)
    assert (where.count("/"), name) == (10_000, "float_notation")
