from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

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
    "odd, told", [("[1]", "an array"), ("{a: 1}", "an object"), ("true", "a boolean"), ("1", "a number")]
)
def test_the_text_names_its_type_with_an_article(odd: str, told: str, findings: Callable[..., list[Finding]]) -> None:
    (found,) = findings(f"urn: urn:babel:orders:created\ndata: {{properties: {{a: {{enum: [x, {odd}, y]}}}}}}\n", RULE)
    assert found.message == f"the values of 'a' have mixed types: {told} among strings"


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
