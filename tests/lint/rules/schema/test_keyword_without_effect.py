from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

InData = Callable[..., list[str]]
RULE = "keyword-without-effect"


@pytest.mark.parametrize(
    "field, keyword",
    [
        ("{type: integer, minLength: 1}", "minLength"),
        ("{type: integer, pattern: '^[0-9]+$'}", ""),
        ("{type: string, minimum: 1}", "minimum"),
        ("{type: string, maximum: 10}", "maximum"),
        ("{type: string, minItems: 1}", "minItems"),
        ("{type: [string, 'null'], maximum: 9}", "maximum"),
        ("{type: array, maxLength: 9}", "maxLength"),
        ("{type: object, items: {type: string}}", ""),
        ("{type: array, properties: {x: {}}}", ""),
        ("{type: boolean, minLength: 1}", "minLength"),
        ("{type: string, uniqueItems: true}", "uniqueItems"),
        ("{type: integer, format: date-time}", ""),
        ("{type: object, minLength: 2}", "minLength"),
        ("{then: {type: string}}", "then"),
        ("{if: {}, then: {}, minContains: 1}", "minContains"),
    ],
)
def test_what_its_type_makes_void_is_reported(field: str, keyword: str, in_data: InData) -> None:
    assert in_data(RULE, f"a: {field}") == [f"a.{keyword}".rstrip(".")]


@pytest.mark.parametrize(
    "field",
    [
        "{type: integer, minimum: 1}",
        "{type: number, multipleOf: 2}",
        "{type: string, minLength: 1, pattern: x, format: email}",
        "{type: [string, integer], minLength: 1, minimum: 2}",
        "{type: [integer, 'null'], maximum: 3}",
        "{minLength: 1}",
        "{type: '', minLength: 1}",
        "{type: int, minLength: 1}",
        "{type: 'null', description: nothing}",
        "{type: integer, format: int64}",
        "{type: integer, format: unix-time}",
        "{type: number, format: double}",
        "{type: array, items: {type: string}, minItems: 1}",
        "{type: object, properties: {minLength: {type: integer}}, required: [minLength]}",
        "{if: {type: string}, then: {minLength: 2}, else: {minimum: 1}}",
        "{type: object, x-minLength: 3}",
        "{anyOf: [{type: string}, {type: integer}], minLength: 2}",
        "{$ref: ../_common/money.yaml, description: How much., type: object}",
    ],
)
def test_what_counts_is_not(field: str, in_data: InData) -> None:
    assert in_data(RULE, f"a: {field}", more="# file: _common/money.yaml\ntype: object\n") == []


@pytest.mark.parametrize(
    "beside, found",
    [
        pytest.param("minLength: 3", ["/data/properties/a/minLength"], id="a limit"),
        pytest.param("x-spark-type: date", ["/data/properties/a/x-spark-type"], id="a type of Spark's"),
        pytest.param("x-gdpr-sensitive: email", [], id="a mark of personal data, which counts"),
        pytest.param("type: string", [], id="the type once more"),
        pytest.param("description: Theirs., title: A, default: x", [], id="words"),
    ],
)
def test_beside_a_reference_draft_07_hears_nothing(
    beside: str, found: list[str], findings: Callable[..., list[Finding]]
) -> None:
    block = f"""\
urn: urn:babel:orders:created
data:
  $schema: http://json-schema.org/draft-07/schema#
  type: object
  properties: {{a: {{$ref: "#/definitions/x", {beside}}}}}
  definitions: {{x: {{type: string}}}}
"""
    assert [f.pointer for f in findings(block, RULE)] == found


@pytest.mark.parametrize(
    "field, fix",
    [
        ("{type: array, maxLength: 9}", "maxItems: 9"),
        ("{type: string, minimum: 1}", "minLength: 1"),
        ("{type: integer, minLength: 1}", "remove it, or limit the number with minimum"),
        ("{type: integer, format: date-time}", "type: string, if it is a date-time; else remove the format"),
    ],
)
def test_the_way_out_is_the_keyword_of_that_type(field: str, fix: str, findings: Callable[..., list[Finding]]) -> None:
    block = f"urn: urn:babel:orders:created\ndata: {{type: object, properties: {{a: {field}}}}}\n"
    assert [f.fix for f in findings(block, RULE)] == [fix]


def test_required_of_a_property_is_left_to_the_rule_that_says_where_it_belongs(
    findings: Callable[..., list[Finding]],
) -> None:
    block = "urn: urn:babel:orders:created\ndata: {type: object, properties: {a: {type: string, required: true}}}\n"
    assert findings(block, "keyword-without-effect") == []
