from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.model import Registry
from babelreg.typemap import spark

InData = Callable[..., list[str]]
RULE = "spark-type-ignored"
MORE = "# file: _common/amount.yaml\nx-spark-type: bigint\n"

IGNORED = [
    pytest.param("a: {type: number, x-spark-type: 'decimel(18,2)'}", id="a misspelt type"),
    pytest.param("a: {type: number, x-spark-type: 'decimal(50,2)'}", id="more digits than a decimal has"),
    pytest.param("a: {type: number, x-spark-type: decimal}", id="a decimal without digits"),
    pytest.param("a: {type: number, x-spark-type: bigint}", id="an integer type for fractions"),
    pytest.param("a: {type: integer, x-spark-type: timestamp}", id="a time for a number"),
    pytest.param("a: {type: string, x-spark-type: double}", id="a number for text"),
    pytest.param("a: {type: [string, integer], x-spark-type: date}", id="a date for text or numbers"),
    pytest.param("a: {x-spark-type: binary}", id="bytes for anything"),
    pytest.param("a: {type: string, x-spark-type: 5}", id="not text"),
    pytest.param("a: {allOf: [{type: integer}], x-spark-type: int}", id="unknown, whatever else limits it"),
]
POSSIBLE = [
    pytest.param("a: {type: number, x-spark-type: 'decimal(38,0)'}", id="a decimal"),
    pytest.param("a: {type: number, multipleOf: 0.01, x-spark-type: Decimal}", id="a decimal by its step"),
    pytest.param("a: {type: [string, 'null'], x-spark-type: date}", id="a date or null"),
    pytest.param("a: {type: [string, integer], x-spark-type: json}", id="JSON text"),
    pytest.param("a: {allOf: [{type: integer}], x-spark-type: bigint}", id="limited in a part"),
    pytest.param("a: {$ref: ../_common/amount.yaml, type: integer}", id="a fragment, limited where it is used"),
    pytest.param("a: {enum: [1, 2], x-spark-type: bigint}", id="listed integers"),
    pytest.param("a: {type: integer}", id="no type at all"),
]


@pytest.mark.parametrize("properties", IGNORED)
def test_a_type_that_no_column_gets_is_reported(properties: str, in_data: InData) -> None:
    assert in_data(RULE, properties) == ["a.x-spark-type"]


@pytest.mark.parametrize("properties", POSSIBLE)
def test_a_type_that_the_column_gets_is_not(properties: str, in_data: InData) -> None:
    assert in_data(RULE, properties, more=MORE) == []


@pytest.mark.parametrize("properties", [*IGNORED, *POSSIBLE])
def test_the_columns_agree(properties: str, in_data: InData, registry: Callable[[str], Registry]) -> None:
    block = f"urn: urn:babel:orders:created\ndata:\n  type: object\n  properties:\n    {properties}\n{MORE}"
    schema = registry(block).messages[0].schema
    assert schema is not None
    ignored = [note for note in spark.notes(schema) if note.what == "ignored"]
    assert bool(ignored) == bool(in_data(RULE, properties, more=MORE))
