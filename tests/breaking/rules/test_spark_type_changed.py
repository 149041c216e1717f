from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"type": "string"},
            {"type": "string", "format": "date-time"},
            ["the Spark column 'x' changed from STRING to TIMESTAMP"],
            id="text becomes a time",
        ),
        pytest.param(
            {"type": "integer"},
            {"type": "number"},
            ["the Spark column 'x' changed from BIGINT to DOUBLE"],
            id="an integer becomes a number",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "integer"}},
            {"type": "array", "items": {"type": "string"}},
            ["the Spark column 'x[]' changed from BIGINT to STRING"],
            id="items of an array",
        ),
        pytest.param(
            {"type": "string"},
            {"type": "array", "items": {"type": "string"}},
            ["the Spark column 'x' changed from STRING to ARRAY"],
            id="a value becomes an array",
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
