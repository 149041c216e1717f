"""Equality of JSON values."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.schema.values import equality_key

BIG = 2**53


@pytest.mark.parametrize(
    "left, right, equal",
    [
        pytest.param(1, 1.0, True, id="an integer and the same with a fraction"),
        pytest.param(0, -0.0, True, id="nought and minus nought"),
        pytest.param(1, True, False, id="one and true"),
        pytest.param(0, False, False, id="nought and false"),
        pytest.param(None, False, False, id="null and false"),
        pytest.param("1", 1, False, id="a text and a number"),
        pytest.param([1, 2], [1.0, 2], True, id="items that are equal"),
        pytest.param([1, 2], [2, 1], False, id="items in another order"),
        pytest.param({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}, True, id="members in another order"),
        pytest.param({"a": 1}, {"a": True}, False, id="members of other types"),
        pytest.param({}, [], False, id="an empty object and an empty array"),
        pytest.param([["a", 1]], {"a": 1}, False, id="an object and its members"),
        pytest.param(BIG + 1, BIG + 2, False, id="integers that are one double"),
        pytest.param(BIG, float(BIG), False, id="a number beyond the exact ones, written in two ways"),
        pytest.param(0.1, 0.1, True, id="fractions"),
    ],
)
def test_keys_are_the_same_for_equal_values_only(left: Any, right: Any, equal: bool) -> None:
    assert (equality_key(left) == equality_key(right)) is equal
    assert len({equality_key([left]), equality_key([right])}) == (1 if equal else 2)
