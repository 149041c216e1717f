from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

InData = Callable[..., list[str]]
RULE = "required-undeclared"
MONEY = "# file: _common/money.yaml\ntype: object\nproperties: {minor: {}}\n"


@pytest.mark.parametrize(
    "properties, found",
    [
        pytest.param("a: {required: [y], properties: {x: {}}}", ["a.required.0"], id="no such property"),
        pytest.param("a: {required: [x, y, z], properties: {x: {}}}", ["a.required.1", "a.required.2"], id="two"),
        pytest.param(
            "a: {properties: {x: {}}, anyOf: [{required: [x]}, {required: [y]}]}",
            ["a.anyOf.1.required.0"],
            id="in an alternative",
        ),
        pytest.param("a: {required: [y], $ref: ../_common/money.yaml}", ["a.required.0"], id="beside a file"),
        pytest.param(
            "a: {allOf: [{$ref: ../_common/money.yaml}, {required: [y]}]}", ["a.allOf.1.required.0"], id="in allOf"
        ),
        pytest.param("a: {items: {required: [y], properties: {x: {}}}}", ["a.required.0"], id="in a list"),
        pytest.param(
            "then: {required: [y], properties: {x: {}}}", ["then.required.0"], id="in one named like a keyword"
        ),
    ],
)
def test_what_nothing_describes_is_reported(properties: str, found: list[str], in_data: InData) -> None:
    assert in_data(RULE, properties, more=MONEY) == found


@pytest.mark.parametrize(
    "properties",
    [
        pytest.param("a: {required: [x], properties: {x: {}}}", id="declared beside it"),
        pytest.param("a: {required: [x], properties: {x: true}}", id="declared to be anything"),
        pytest.param("a: {required: [x]}", id="an object that declares nothing"),
        pytest.param("a: {required: [y], properties: {x: {}}, patternProperties: {'^y': {}}}", id="by a pattern"),
        pytest.param("a: {required: [y], properties: {x: {}}, additionalProperties: {type: string}}", id="as others"),
        pytest.param("a: {required: [y], properties: {x: {}}, additionalProperties: true}", id="in an open object"),
        pytest.param("a: {properties: {x: {}}, anyOf: [{required: [x]}]}", id="required in an alternative"),
        pytest.param("a: {required: [x], allOf: [{properties: {x: {}}}]}", id="declared in a part"),
        pytest.param("a: {required: [x], anyOf: [{properties: {x: {}}}]}", id="declared in an alternative"),
        pytest.param("a: {required: [x], if: {}, then: {properties: {x: {}}}, properties: {y: {}}}", id="in then"),
        pytest.param("a: {required: [minor], $ref: ../_common/money.yaml}", id="declared in the file"),
        pytest.param("a: {properties: {x: {}}, if: {required: [y]}, then: {}}", id="a condition"),
        pytest.param("a: {properties: {x: {}}, not: {required: [y]}}", id="what must not be there"),
        pytest.param("a: {enum: [{required: [y]}]}", id="data that looks like it"),
    ],
)
def test_what_something_describes_is_not(properties: str, in_data: InData) -> None:
    assert in_data(RULE, properties, more=MONEY) == []


@pytest.mark.parametrize(
    "required, fixes",
    [
        pytest.param("minro", ["did you mean 'minor'?"], id="a slip"),
        pytest.param("currency", [], id="a name that whoever refers to it may declare"),
    ],
)
def test_a_shared_part_is_reported_for_slips_alone(
    required: str, fixes: list[str], findings: Callable[..., list[Finding]]
) -> None:
    shared = f"type: object\nrequired: [{required}]\nproperties: {{minor: {{type: integer}}}}\n"
    found = findings(f"# file: _common/money.yaml\n{shared}", RULE)
    assert [f.fix for f in found] == fixes
