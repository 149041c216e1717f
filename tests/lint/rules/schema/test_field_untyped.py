from __future__ import annotations

from collections.abc import Callable

import pytest

InData = Callable[..., list[str]]
RULE = "field-untyped"


@pytest.mark.parametrize(
    "properties, found",
    [
        pytest.param("a: {}", ["a"], id="nothing said"),
        pytest.param("a: {description: Who knows.}", ["a"], id="words alone"),
        pytest.param("a: {type: array}", ["a"], id="a list of anything"),
        pytest.param("a: {type: [array, 'null'], maxItems: 9}", ["a"], id="or null"),
        pytest.param("a: {type: object}", ["a"], id="an object of anything"),
        pytest.param("a: {type: array, items: {type: object}}", ["a"], id="a list of such objects"),
        pytest.param("a: {type: object, properties: {b: {}}}", ["a.b"], id="deeper"),
    ],
)
def test_what_may_hold_anything_is_reported(properties: str, found: list[str], in_data: InData) -> None:
    assert in_data(RULE, properties) == found


@pytest.mark.parametrize(
    "properties",
    [
        pytest.param("a: {type: string}", id="text"),
        pytest.param("a: {enum: [x, y]}", id="listed values"),
        pytest.param("a: {const: 1}", id="one value"),
        pytest.param("a: {anyOf: [{type: string}, {minLength: 3}]}", id="alternatives"),
        pytest.param("a: {$ref: '#/$defs/x'}", id="a reference"),
        pytest.param("a: {type: object, additionalProperties: {type: string}}", id="a map"),
        pytest.param("a: {type: object, allOf: [{properties: {x: {type: string}}}]}", id="parts that say it"),
        pytest.param("a: {type: object, x-spark-type: json}", id="asked for"),
        pytest.param("a: {x-spark-type: variant}", id="asked for without a type"),
        pytest.param("a: {type: object, additionalProperties: true}", id="said to be open"),
        pytest.param("a: true", id="said to be anything"),
    ],
)
def test_what_is_described_is_not(properties: str, in_data: InData) -> None:
    assert in_data(RULE, properties, more="  $defs: {x: {type: string}}\n") == []
