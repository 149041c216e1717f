from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.model import Registry
from babelreg.typemap import spark

InData = Callable[..., list[str]]
RULE = "spark-mixed-types"
MORE = "# file: _common/money.yaml\ntype: object\nproperties: {minor: {type: integer}}\n"

MIXED = [
    pytest.param("a: {type: [string, integer]}", ["a"], id="text or integer"),
    pytest.param("a: {type: [string, integer, 'null']}", ["a"], id="or null besides"),
    pytest.param("a: {anyOf: [{type: string}, {type: integer}]}", ["a.anyOf"], id="alternatives"),
    pytest.param("a: {oneOf: [{$ref: ../_common/money.yaml}, {type: string}]}", ["a.oneOf"], id="an object or text"),
    pytest.param("a: {type: [object, array]}", ["a"], id="an object or a list"),
    pytest.param("a: {type: array, items: {type: [string, boolean]}}", ["a"], id="items"),
    pytest.param("a: {type: array, prefixItems: [{type: string}, {type: integer}]}", ["a.prefixItems"], id="a tuple"),
    pytest.param("a: {anyOf: [{type: string}, {anyOf: [{type: integer}]}]}", ["a.anyOf"], id="once, not at each part"),
]
PLAIN = [
    pytest.param("a: {type: [string, 'null']}", id="text or null"),
    pytest.param("a: {type: [integer, number]}", id="numbers"),
    pytest.param("a: {anyOf: [{type: integer}, {type: number}, {type: 'null'}]}", id="numbers or null"),
    pytest.param("a: {anyOf: [{type: string, format: date}, {type: string}]}", id="two kinds of text"),
    pytest.param(
        "a: {oneOf: [{$ref: ../_common/money.yaml}, {type: object, properties: {x: {type: string}}}]}", id="objects"
    ),
    pytest.param("a: {oneOf: [{$ref: ../_common/money.yaml}, {type: 'null'}]}", id="an object or null"),
    pytest.param("a: {type: string, anyOf: [{minLength: 3}, {pattern: x}]}", id="limits as alternatives"),
    pytest.param("a: {type: string, anyOf: [{type: string}, {type: integer}]}", id="one of which cannot be"),
    pytest.param("a: {type: [string, integer], x-spark-type: json}", id="asked for"),
    pytest.param(
        "a: {anyOf: [{type: string}, {type: integer}], allOf: [{x-spark-type: json}]}", id="asked for in a part"
    ),
    pytest.param("a: {properties: {x: {type: string}}, anyOf: [{required: [x]}, {required: [y]}]}", id="of any type"),
    pytest.param("a: {type: array, items: {type: string}}", id="items of one type"),
    pytest.param("a: {}", id="anything, which another rule tells"),
]


@pytest.mark.parametrize("properties, found", MIXED)
def test_what_no_column_type_holds_is_reported(properties: str, found: list[str], in_data: InData) -> None:
    assert in_data(RULE, properties, more=MORE) == found


@pytest.mark.parametrize("properties", PLAIN)
def test_what_one_holds_is_not(properties: str, in_data: InData) -> None:
    assert in_data(RULE, properties, more=MORE) == []


@pytest.mark.parametrize("properties, found", MIXED)
def test_the_columns_are_json_text_indeed(
    properties: str, found: list[str], registry: Callable[[str], Registry]
) -> None:
    block = f"urn: urn:babel:orders:created\ndata:\n  type: object\n  properties:\n    {properties}\n{MORE}"
    schema = registry(block).messages[0].schema
    assert schema is not None
    assert [note.path.removesuffix("[]") for note in spark.notes(schema) if note.what == "json-text"] == ["a"]
