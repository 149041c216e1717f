from __future__ import annotations

from collections.abc import Callable

import pytest

InData = Callable[..., list[str]]
RULE = "property-shut-out"
MORE = "# file: _common/closed.yaml\ntype: object\nadditionalProperties: false\nproperties: {x: {type: string}}\n"


@pytest.mark.parametrize(
    "properties, found",
    [
        pytest.param(
            "a: {allOf: [{$ref: ../_common/closed.yaml}, {properties: {y: {}}}]}", ["a.allOf"], id="of a file"
        ),
        pytest.param("a: {$ref: ../_common/closed.yaml, properties: {y: {}}}", ["a.$ref"], id="beside a file"),
        pytest.param(
            "a: {allOf: [{additionalProperties: false, properties: {x: {}}}], properties: {y: {}}}",
            ["a.allOf"],
            id="beside allOf",
        ),
        pytest.param(
            "a: {additionalProperties: false, allOf: [{properties: {y: {}}}]}", ["a.allOf"], id="closed around allOf"
        ),
        pytest.param(
            "a: {items: {allOf: [{$ref: ../_common/closed.yaml}, {properties: {y: {}}}]}}", ["a.allOf"], id="in a list"
        ),
    ],
)
def test_what_one_part_declares_and_another_refuses_is_reported(
    properties: str, found: list[str], in_data: InData
) -> None:
    assert in_data(RULE, properties, more=MORE) == found


@pytest.mark.parametrize(
    "properties",
    [
        pytest.param(
            "a: {allOf: [{$ref: ../_common/closed.yaml}, {properties: {x: {minLength: 2}}}]}", id="the same one"
        ),
        pytest.param("a: {allOf: [{properties: {x: {}}}, {properties: {y: {}}}]}", id="open parts"),
        pytest.param(
            "a: {allOf: [{properties: {x: {}}}, {properties: {y: {}}}], unevaluatedProperties: false}",
            id="closed as one",
        ),
        pytest.param("a: {allOf: [{$ref: ../_common/closed.yaml}, {required: [x]}]}", id="nothing declared"),
        pytest.param("a: {allOf: [{$ref: ../_common/closed.yaml}, {properties: {y: false}}]}", id="refused by both"),
        pytest.param(
            "a: {allOf: [{additionalProperties: false, patternProperties: {'^y': {}}}, {properties: {y: {}}}]}",
            id="admitted by a pattern",
        ),
        pytest.param(
            "a: {anyOf: [{additionalProperties: false, properties: {x: {}}}, {properties: {y: {}}}]}", id="alternatives"
        ),
        pytest.param(
            "a: {allOf: [{$ref: ../_common/closed.yaml}, {required: [y], properties: {y: {}}}]}", id="required"
        ),
        pytest.param("a: {$ref: ../_common/closed.yaml}", id="a closed file alone"),
    ],
)
def test_what_all_parts_admit_is_not(properties: str, in_data: InData) -> None:
    assert in_data(RULE, properties, more=MORE) == []
