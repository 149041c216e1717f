from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"type": "number"},
            {"type": "number", "x-spark-type": "decimal(18,2)"},
            ["the Spark column 'x' changed from DOUBLE to DECIMAL(18,2)"],
            id="a number becomes a decimal",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "number"}},
            {"type": "array", "items": {"type": "number", "x-spark-type": "decimal(18,2)"}},
            ["the Spark column 'x[]' changed from DOUBLE to DECIMAL(18,2)"],
            id="items of an array",
        ),
        pytest.param({"type": "integer"}, {"type": "integer", "minimum": 0}, [], id="a bound alone"),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}}},
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}},
            [],
            id="one more column",
        ),
    ],
)
def test_spark_type_changed(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "spark-type-changed"] == found


@pytest.mark.parametrize(
    "old, new, rule, change",
    [
        pytest.param(
            {"type": "string"},
            {"type": "string", "format": "date-time"},
            "format-changed",
            "STRING to TIMESTAMP",
            id="text becomes a time",
        ),
        pytest.param(
            {"type": "integer"},
            {"type": "number"},
            "type-changed",
            "BIGINT to DOUBLE",
            id="an integer becomes a number",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "integer"}},
            {"type": "array", "items": {"type": "string"}},
            "type-changed",
            "BIGINT to STRING",
            id="items of an array",
        ),
        pytest.param(
            {"type": "string"},
            {"type": "array", "items": {"type": "string"}},
            "type-changed",
            "STRING to ARRAY",
            id="a value becomes an array",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "string"},
            "type-changed",
            "STRUCT to STRING",
            id="an object with properties becomes a value",
        ),
    ],
)
def test_the_finding_about_the_keyword_says_what_happens_to_the_column(
    old: Any, new: Any, rule: str, change: str, data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    (finding,) = data_breaks(old, new)
    assert (finding.rule, finding.breaks[-1]) == (rule, f"its Spark column changes from {change}")


def test_a_definition_that_columns_share_is_one_finding(breaks: Callable[..., list[Finding]]) -> None:
    data = "data:\n  type: object\n  $defs:\n    n: {type: number}\n  properties:\n"
    data += "".join(f"    {name}: {{$ref: '#/$defs/n'}}\n" for name in "abcde")
    (finding,) = breaks(data, data.replace("{type: number}", "{type: number, x-spark-type: 'decimal(9,2)'}"))
    assert finding.message == "the Spark columns 'a', 'b', 'c' and 2 more changed from DOUBLE to DECIMAL(9,2)"


def test_an_object_that_lost_all_its_properties_says_what_happens_to_its_column(
    data_breaks: Callable[[Any, Any], list[Finding]],
) -> None:
    old = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}}
    (finding,) = data_breaks(old, {"type": "object", "additionalProperties": {"type": "string"}})
    assert (finding.rule, finding.breaks[-1]) == ("property-removed", "its Spark column changes from STRUCT to MAP")
