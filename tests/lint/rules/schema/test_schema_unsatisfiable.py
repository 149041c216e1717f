from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

InData = Callable[..., list[str]]
RULE = "schema-unsatisfiable"

CONTRADICTIONS = [
    pytest.param("a: {type: integer, minimum: 5, maximum: 4}", ["a.maximum"], id="bounds that cross"),
    pytest.param("a: {type: number, minimum: 5, exclusiveMaximum: 5}", ["a.exclusiveMaximum"], id="an open bound"),
    pytest.param("a: {type: integer, minimum: 0.2, maximum: 0.8}", ["a.maximum"], id="no integer between"),
    pytest.param(
        "a: {type: integer, exclusiveMinimum: 1, exclusiveMaximum: 2}", ["a.exclusiveMaximum"], id="none in between"
    ),
    pytest.param("a: {type: string, minLength: 5, maxLength: 4}", ["a.maxLength"], id="lengths that cross"),
    pytest.param("a: {type: array, minItems: 2, maxItems: 1}", ["a.maxItems"], id="numbers of items"),
    pytest.param("a: {type: object, minProperties: 2, maxProperties: 1}", ["a.maxProperties"], id="of properties"),
    pytest.param("a: {enum: [x, y], const: z}", ["a"], id="a const that the enum has not"),
    pytest.param("a: {type: integer, enum: [x, y]}", ["a"], id="an enum of another type"),
    pytest.param("a: {type: string, enum: [1.0, 1.1]}", ["a"], id="versions that are numbers"),
    pytest.param("a: {type: string, const: 1}", ["a.const"], id="a const of another type"),
    pytest.param("a: {enum: []}", ["a"], id="an enum of nothing"),
    pytest.param(
        "a: {type: object, required: [x], additionalProperties: false}", ["a.required"], id="required and refused"
    ),
    pytest.param(
        "a: {type: object, required: [y], properties: {x: {}}, additionalProperties: false}",
        ["a.required"],
        id="required, and not among the properties",
    ),
    pytest.param("a: {type: object, required: [x], properties: {x: false}}", ["a.required"], id="required, forbidden"),
    pytest.param(
        "a: {type: object, required: [x], properties: {x: {not: {}}}}", ["a.required"], id="forbidden the old way"
    ),
    pytest.param("a: {type: object, required: [x, y], maxProperties: 1}", ["a.required"], id="more than admitted"),
    pytest.param("a: {allOf: [{type: string}, {type: integer}]}", ["a.allOf"], id="two types"),
    pytest.param("a: {type: string, allOf: [{type: [integer, 'null']}]}", ["a.allOf"], id="another beside it"),
    pytest.param("a: {allOf: [{minimum: 5}, {maximum: 4}]}", ["a.allOf"], id="bounds of two parts"),
    pytest.param("a: {allOf: [{enum: [x]}, {enum: [y]}]}", ["a.allOf"], id="lists of two parts"),
    pytest.param(
        "a: {allOf: [{properties: {x: {}}, additionalProperties: false}, {required: [y], properties: {y: {}}}]}",
        ["a.allOf"],
        id="closed in one part, required in the other",
    ),
    pytest.param("a: {$ref: ../_common/money.yaml, type: string}", ["a.$ref"], id="a file and another type"),
    pytest.param("a: {allOf: [{$ref: ../_common/money.yaml}, {type: string}]}", ["a.allOf"], id="by a file in allOf"),
]
FINE = [
    pytest.param("a: {type: integer, minimum: 5, maximum: 5}", id="exactly one value"),
    pytest.param("a: {type: number, exclusiveMinimum: 0, exclusiveMaximum: 1}", id="fractions between"),
    pytest.param("a: {type: integer, minimum: 0, exclusiveMaximum: 1}", id="nothing but zero"),
    pytest.param("a: {exclusiveMinimum: 1, exclusiveMaximum: 2}", id="a number of no declared type"),
    pytest.param("a: {type: string, minLength: 0, maxLength: 0}", id="the empty text"),
    pytest.param("a: {type: [string, 'null'], enum: [x, null]}", id="null among the values"),
    pytest.param("a: {type: string, enum: [x, null]}", id="one value that fits"),
    pytest.param("a: {type: number, enum: [1, 2]}", id="integers are numbers"),
    pytest.param("a: {type: integer, enum: [1.0]}", id="a whole number with a fraction"),
    pytest.param("a: {enum: [x, y], const: y}", id="a const of the enum"),
    pytest.param("a: false", id="a property that is forbidden"),
    pytest.param("a: {type: object, properties: {x: false}}", id="forbidden and not required"),
    pytest.param("a: {type: object, required: [x]}", id="required in an open object"),
    pytest.param(
        "a: {type: object, required: [x_1], patternProperties: {'^x': {}}, additionalProperties: false}",
        id="admitted by a pattern",
    ),
    pytest.param("a: {allOf: [{type: number}, {type: integer}]}", id="one type within the other"),
    pytest.param("a: {allOf: [{type: string}, {minLength: 3}]}", id="two parts that agree"),
    pytest.param("a: {anyOf: [{type: string}, {type: integer}]}", id="alternatives"),
    pytest.param(
        "a: {allOf: [{properties: {x: {}}, additionalProperties: false}, {required: [x]}]}", id="closed around it"
    ),
    pytest.param("a: {$ref: ../_common/money.yaml, description: How much.}", id="a file and words"),
    pytest.param("a: {$ref: ../_common/money.yaml, type: object}", id="a file and the same type"),
    pytest.param("a: {not: {type: string}}", id="anything but text"),
    pytest.param("a: {if: {type: string}, then: {minLength: 2}}", id="a condition"),
]


def test_a_type_that_is_none_is_no_surprise(in_data: InData) -> None:
    assert in_data(RULE, "a: {type: [null], enum: [1]}") == ["a"]


@pytest.mark.parametrize("properties, found", CONTRADICTIONS)
def test_what_nothing_satisfies_is_reported(properties: str, found: list[str], in_data: InData) -> None:
    assert in_data(RULE, properties, more="# file: _common/money.yaml\ntype: object\n") == found


@pytest.mark.parametrize("properties", FINE)
def test_what_something_satisfies_is_not(properties: str, in_data: InData) -> None:
    assert in_data(RULE, properties, more="# file: _common/money.yaml\ntype: object\n") == []


def test_draft_07_ignores_what_stands_beside_a_reference(findings: Callable[..., list[Finding]]) -> None:
    block = """\
urn: urn:babel:orders:created
data:
  $schema: http://json-schema.org/draft-07/schema#
  type: object
  properties: {a: {$ref: "#/definitions/x", type: string, minLength: 9, maxLength: 1}}
  definitions: {x: {type: integer}}
"""
    assert findings(block, RULE) == []
