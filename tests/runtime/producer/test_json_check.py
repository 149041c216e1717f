from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.runtime.producer.encode import first_not_json


@pytest.mark.parametrize(
    "values, where, said",
    [
        pytest.param({"a": [1, float("nan")]}, "/a/1", "NaN", id="NaN"),
        pytest.param({"a": float("-inf")}, "/a", "infinite", id="infinity"),
        pytest.param({"a/b": "\ud800"}, "/a~1b", "surrogate", id="a lone surrogate"),
        pytest.param({"a": {"\udfff": 1}}, "/a", "surrogate", id="a lone surrogate in a key"),
        pytest.param({"a": {1: 1}}, "/a", "int", id="a key that is a number"),
        pytest.param({"a": {None: 1}}, "/a", "NoneType", id="a key that is None"),
        pytest.param({"a": b"x"}, "/a", "bytes", id="bytes"),
        pytest.param({"a": datetime(2026, 1, 1, tzinfo=UTC)}, "/a", "datetime", id="a time"),
        pytest.param({"a": Decimal("Infinity")}, "/a", "infinite", id="a decimal without a value"),
        pytest.param({"a": {1, 2}}, "/a", "set", id="a set"),
        pytest.param({"b": b"1", "a": b"2"}, "/b", "bytes", id="the first in document order"),
    ],
)
def test_what_json_has_no_form_for(values: Any, where: str, said: str) -> None:
    found = first_not_json(values)
    assert found is not None
    assert found[0] == where
    assert said in found[1]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
        lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=3), below, max_size=3),
        max_leaves=6,
    )
)
def test_it_agrees_with_the_encoder(values: Any) -> None:
    try:
        json.dumps(values, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except ValueError:
        assert first_not_json(values) is not None
    else:
        assert first_not_json(values) is None


def test_a_value_that_holds_itself_ends() -> None:
    values: dict[str, Any] = {}
    values["a"] = values
    assert first_not_json(values) is None
