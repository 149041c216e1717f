from __future__ import annotations

from collections.abc import Callable

import pytest

InData = Callable[..., list[str]]


@pytest.mark.parametrize(
    "field, found",
    [
        pytest.param("n: {type: integer}", [], id="unbounded"),
        pytest.param("n: {type: integer, maximum: 9223372036854775807}", [], id="the largest"),
        pytest.param("n: {type: integer, maximum: 9223372036854775808}", ["n.maximum"], id="one more"),
        pytest.param("n: {type: integer, exclusiveMaximum: 9223372036854775808}", [], id="the largest, exclusively"),
        pytest.param("n: {type: integer, minimum: -9223372036854775808}", [], id="the smallest"),
        pytest.param("n: {type: integer, minimum: -9223372036854775809}", ["n.minimum"], id="one less"),
        pytest.param("n: {type: integer, format: uint64}", ["n"], id="a format"),
        pytest.param("n: {type: integer, format: uint64, maximum: 100}", [], id="a format with a bound"),
        pytest.param("n: {type: integer, const: 18446744073709551615}", ["n.const"], id="a value"),
        pytest.param("n: {enum: [1, 18446744073709551615]}", ["n.1"], id="a listed value"),
        pytest.param("n: {type: string, maximum: 18446744073709551615}", [], id="a string"),
        pytest.param("n: {type: number, maximum: 1e300}", [], id="a number"),
    ],
)
def test_integer_beyond_int64(field: str, found: list[str], in_data: InData) -> None:
    assert in_data("integer-beyond-int64", field) == found
