"""An integer that Node reads has an upper bound."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding, Severity

InData = Callable[..., list[str]]
RULE = "integer-unbounded-for-node"
NODE = "consumers: [storefront]\n"
GO = "consumers: [billing-worker]\n"


@pytest.mark.parametrize(
    "field, found",
    [
        pytest.param("n: {type: integer}", ["n"], id="no bound"),
        pytest.param("n: {type: [integer, 'null'], minimum: 1}", ["n"], id="a lower bound alone"),
        pytest.param("n: {type: array, items: {type: integer}}", ["n"], id="in a list"),
        pytest.param("a: {type: object, properties: {n: {type: integer}}}", ["a.n"], id="deeper"),
        pytest.param("n: {type: integer, maximum: 9007199254740991}", [], id="a bound"),
        pytest.param("n: {type: integer, exclusiveMaximum: 100}", [], id="an exclusive bound"),
        pytest.param("n: {type: integer, enum: [1, 2]}", [], id="a list of values"),
        pytest.param("n: {const: 1}", [], id="one value"),
        pytest.param("n: {type: integer, format: int32}", [], id="a small format"),
        pytest.param("n: {type: integer, format: int64}", [], id="a large one, which is another rule's"),
        pytest.param("n: {type: integer, examples: [9007199254740993]}", [], id="a large example, too"),
        pytest.param("n: {type: integer, allOf: [{maximum: 5}]}", [], id="a bound beside it"),
        pytest.param("n: {anyOf: [{type: integer}, {type: string}]}", [], id="an alternative"),
        pytest.param("n: {type: string}", [], id="text"),
        pytest.param("n: {type: number}", [], id="a fraction"),
    ],
)
def test_an_unbounded_integer_is_a_hint(field: str, found: list[str], in_data: InData) -> None:
    assert in_data(RULE, field, more=NODE) == found
    assert in_data(RULE, field, more=GO) == []


def test_it_is_an_info_of_the_standard_profile(findings: Callable[..., list[Finding]]) -> None:
    block = f"urn: urn:babel:orders:created\n{NODE}data: {{type: object, properties: {{n: {{type: integer}}}}}}\n"
    assert [f.severity for f in findings(block) if f.rule == RULE] == [Severity.INFO]


@pytest.mark.parametrize(
    "use, found",
    [
        pytest.param("n: {$ref: ../_common/a.yaml}", [""], id="an object of a shared file"),
        pytest.param("m: {$ref: ../_common/n.yaml, maximum: 5}", [], id="a shared number, bounded where it is used"),
        pytest.param("m: {$ref: '#/$defs/n', maximum: 5}", [], id="a definition, bounded where it is used"),
    ],
)
def test_what_is_shared_may_be_bounded_where_it_is_used(use: str, found: list[str], in_data: InData) -> None:
    shared = "# file: _common/a.yaml\ntype: object\nproperties: {n: {type: integer}}\n"
    shared += "# file: _common/n.yaml\ntype: integer\n"
    more = "  $defs: {n: {type: integer}}\n" + NODE + shared
    assert in_data(RULE, use, more=more) == (["n"] if found else [])
