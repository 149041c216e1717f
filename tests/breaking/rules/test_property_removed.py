from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "properties": {"a": {"type": "string"}}},
            ["property 'x.b' was removed"],
            id="a property is gone",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}}},
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            [],
            id="nothing is gone",
        ),
        pytest.param(
            {
                "type": "object",
                "properties": {
                    "a": {"type": "string"},
                    "b": {"type": "object", "properties": {"c": {"type": "string"}, "d": {"type": "string"}}},
                },
            },
            {"type": "object", "properties": {"a": {"type": "string"}}},
            ["property 'x.b' was removed"],
            id="only the outermost is named",
        ),
        pytest.param(
            {
                "type": "array",
                "items": {"type": "object", "properties": {"q": {"type": "integer"}, "r": {"type": "integer"}}},
            },
            {"type": "array", "items": {"type": "object", "properties": {"q": {"type": "integer"}}}},
            ["property 'x[].r' was removed"],
            id="below items",
        ),
        pytest.param(
            {"type": "object", "required": ["b"], "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}},
            {"type": "object", "properties": {"a": {"type": "string"}}},
            ["property 'x.b' was removed"],
            id="a required one, once",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}},
            {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "anyOf": [{"properties": {"b": {"type": "integer"}}}, {}],
            },
            [],
            id="moved into a union branch",
        ),
        pytest.param(
            {"type": "object", "properties": {"amount": {"type": "integer"}}},
            {"type": "object", "properties": {"amount_minor": {"type": "integer"}}},
            [],
            id="renamed is another rule",
        ),
    ],
)
def test_property_removed(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "property-removed"] == found
