"""An object that a PHP service sends on is never empty."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding, Severity

InData = Callable[..., list[str]]
RULE = "empty-object-php"
REQUIRED = "  required: [id]\n"


@pytest.mark.parametrize(
    "field, found",
    [
        pytest.param("a: {type: object}", ["a"], id="any object"),
        pytest.param("a: {type: object, additionalProperties: {type: string}}", ["a"], id="a map"),
        pytest.param("a: {type: object, properties: {b: {type: string}}}", ["a"], id="optional properties alone"),
        pytest.param("a: {type: object, required: [], minProperties: 0}", ["a"], id="bounds that say nothing"),
        pytest.param("a: {type: [object, 'null']}", ["a"], id="or null"),
        pytest.param("a: {type: array, items: {type: object}}", ["a"], id="in a list"),
        pytest.param("a: {type: object, enum: [{}, {b: 1}]}", ["a"], id="a list of values with the empty one"),
        pytest.param("a: {type: object, required: [b], properties: {b: {type: string}}}", [], id="a required property"),
        pytest.param("a: {type: object, minProperties: 1}", [], id="a smallest size"),
        pytest.param("a: {type: object, enum: [{b: 1}]}", [], id="a list of values without the empty one"),
        pytest.param("a: {type: object, allOf: [{minProperties: 1}]}", [], id="a bound beside it"),
        pytest.param("a: {type: object, anyOf: [{required: [b]}, {required: [c]}]}", [], id="alternatives"),
        pytest.param("a: {type: array}", [], id="a list"),
    ],
)
def test_an_object_that_may_be_empty_is_a_hint_where_php_reads_it(
    field: str, found: list[str], in_data: InData
) -> None:
    assert in_data(RULE, field, more=f"{REQUIRED}consumers: [orders-api]\n") == found
    assert in_data(RULE, field, more=f"{REQUIRED}consumers: [billing-worker]\n") == []


def test_the_data_itself_may_be_empty(findings: Callable[..., list[Finding]]) -> None:
    block = "urn: urn:babel:orders:created\nconsumers: [orders-api]\ndata: {type: object}\n"
    found = [f for f in findings(block) if f.rule == RULE]
    assert [(f.severity, f.message.split(",")[0]) for f in found] == [(Severity.INFO, "the schema may be empty")]


def test_what_is_shared_may_be_limited_where_it_is_used(in_data: InData) -> None:
    shared = "# file: _common/a.yaml\ntype: object\nproperties: {m: {type: object}}\n"
    php = f"{REQUIRED}consumers: [orders-api]\n"
    assert in_data(RULE, "b: {$ref: ../_common/a.yaml}", more=php + shared) == ["m"]
