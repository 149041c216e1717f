from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

InData = Callable[..., list[str]]
Lint = Callable[..., list[Finding]]
RULE = "listed-value-invalid"
MONEY = "# file: _common/money.yaml\ntype: object\nrequired: [minor]\nproperties: {minor: {type: integer}}\n"


@pytest.mark.parametrize(
    "schema, found",
    [
        pytest.param("{type: string, enum: [x, null]}", ["a.1"], id="null that the type lacks"),
        pytest.param("{type: integer, enum: [1, x]}", ["a.1"], id="a text among integers"),
        pytest.param("{type: integer, enum: [1, 1.5]}", ["a.1"], id="a fraction among integers"),
        pytest.param("{type: string, enum: [x, 1.0]}", ["a.1"], id="a version that is a number"),
        pytest.param("{type: string, enum: [AB, abc], maxLength: 2}", ["a.1"], id="too long"),
        pytest.param("{enum: [AB, ab], pattern: '^[A-Z]+$'}", ["a.1"], id="not of the pattern"),
        pytest.param("{type: integer, default: x}", ["a.default"], id="a default of another type"),
        pytest.param("{type: integer, minimum: 1, default: 0}", ["a.default"], id="a default below the minimum"),
        pytest.param("{type: string, enum: [x, y], default: z}", ["a.default"], id="a default that is not listed"),
        pytest.param("{type: string, default: null}", ["a.default"], id="null as default of text"),
        pytest.param("{type: string, format: date, examples: [2026-11-20, soon]}", ["a.examples.1"], id="no date"),
        pytest.param("{type: object, required: [x], default: {}}", ["a.default"], id="an object without its field"),
        pytest.param("{$ref: ../_common/money.yaml, default: {minor: x}}", ["a.default"], id="by a file"),
        pytest.param("{type: array, items: {type: integer}, default: [x]}", ["a.default"], id="an item"),
    ],
)
def test_a_value_that_its_own_schema_refuses_is_reported(schema: str, found: list[str], in_data: InData) -> None:
    assert in_data(RULE, f"a: {schema}", more=MONEY) == found


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param("{type: string, enum: [x, y], default: x}", id="a default that is listed"),
        pytest.param("{type: [string, 'null'], enum: [x, null], default: null}", id="null that the type names"),
        pytest.param("{type: number, enum: [1, 1.5]}", id="numbers"),
        pytest.param("{type: integer, enum: [1.0]}", id="a whole number with a fraction"),
        pytest.param("{enum: [x, 1, null]}", id="no type"),
        pytest.param("{type: integer, enum: [x, y]}", id="none fits, which another rule says"),
        pytest.param("{type: string, const: 1}", id="a const, which another rule looks at"),
        pytest.param("{type: boolean, default: false}", id="false"),
        pytest.param("{type: string, format: email, examples: [ada@example.com]}", id="a good example"),
        pytest.param("{$ref: ../_common/money.yaml, default: {minor: 1}}", id="by a file"),
        pytest.param("{properties: {default: {type: integer}, enum: {type: string}}}", id="properties of that name"),
        pytest.param("{type: object, default: {}}", id="an empty object"),
        pytest.param("{type: string, pattern: '(', default: x}", id="a pattern that is none"),
    ],
)
def test_a_value_that_it_admits_is_not(schema: str, in_data: InData) -> None:
    assert in_data(RULE, f"a: {schema}", more=MONEY) == []


@pytest.mark.parametrize(
    "schema, fix",
    [
        ("{type: string, enum: [x, null]}", 'type: [string, "null"]'),
        ("{type: string, enum: [x, 1.0]}", "quote it if it is a string"),
        ("{type: integer, default: x}", "correct the value, or make the schema allow it"),
    ],
)
def test_the_way_out_can_be_pasted(schema: str, fix: str, findings: Lint) -> None:
    block = f"urn: urn:babel:orders:created\ndata: {{type: object, properties: {{a: {schema}}}}}\n"
    assert [f.fix for f in findings(block, RULE)] == [fix]
