from __future__ import annotations

from collections.abc import Callable

import pytest

InData = Callable[..., list[str]]
RULE = "enum-mixed-types"


@pytest.mark.parametrize(
    "schema, index",
    [
        pytest.param("enum: [1, 2, unknown]", 2, id="a word among numbers"),
        pytest.param("enum: [low, 5, high]", 1, id="a number among words"),
        pytest.param("enum: [true, no]", 1, id="what only one of is a truth value"),
        pytest.param("enum: [1.0, 1.1, 1.2.3]", 2, id="a version among numbers"),
        pytest.param("enum: [null, x, 1]", 2, id="null beside two more"),
        pytest.param("enum: [x, {a: 1}]", 1, id="an object"),
    ],
)
def test_the_odd_value_is_reported(schema: str, index: int, in_data: InData) -> None:
    assert in_data(RULE, f"a: {{{schema}}}") == [f"a.{index}"]


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param("enum: [1, 2.5, 3]", id="numbers"),
        pytest.param("enum: [x, null]", id="text or null"),
        pytest.param("enum: [x, y]", id="text"),
        pytest.param("enum: [true, false]", id="truth values"),
        pytest.param("type: [string, integer], enum: [x, 1]", id="types that are named"),
        pytest.param("type: string, enum: [x, 1]", id="a type that refuses one"),
        pytest.param("enum: []", id="nothing"),
    ],
)
def test_values_of_one_type_are_not(schema: str, in_data: InData) -> None:
    assert in_data(RULE, f"a: {{{schema}}}") == []
