"""Values of different types under one name, with their counts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from inferred import sketched

from babelreg.analysis.infer.mixed_types import mixed_types


@pytest.mark.parametrize(
    "samples, expected",
    [
        pytest.param([{"id": 1}] * 19 + [{"id": "a-1"}], ["id is a number in 19, a string in 1 of 20 values: is one sender wrong?"], id="a text among numbers"),
        pytest.param([{"id": 1}, {"id": 1.5}, {"id": None}], [], id="integers, fractions and null"),
        pytest.param([{"lines": [{"by": {}}, {"by": True}]}], ["lines[].by is a boolean in 1, an object in 1 of 2 values: is one sender wrong?"], id="below a list"),
        pytest.param([{"b": [1], "a": "x"}, {"b": "1", "a": 1}], ["a is a number in 1, a string in 1 of 2 values: is one sender wrong?", "b is an array in 1, a string in 1 of 2 values: is one sender wrong?"], id="two names"),
        pytest.param([{}], [], id="nothing"),
    ],
)  # fmt: skip
def test_a_name_with_values_of_several_types_is_reported(samples, expected):
    assert list(mixed_types(sketched(samples))) == expected


def test_a_type_that_is_tolerated_is_left_out():
    assert list(mixed_types(sketched([{"id": 1}] * 999 + [{"id": "x"}]), Fraction(1, 1000))) == []
