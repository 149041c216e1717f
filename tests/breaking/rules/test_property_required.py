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
            {"type": "object", "required": ["b"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            ["property 'x.b' became required"],
            id="became required",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}}},
            {"type": "object", "required": ["b"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            ["required property 'x.b' was added"],
            id="new and required",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {
                "type": "object",
                "required": ["a", "b"],
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            },
            ["properties 'x.a' and 'x.b' became required"],
            id="two at once",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "dependentRequired": {"a": ["b"]},
            },
            ["property 'x.b' became required where there is 'x.a'"],
            id="required where another is there",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}}},
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            [],
            id="new and optional",
        ),
        pytest.param(
            {"type": "object", "required": ["b"], "properties": {"b": {"type": "string"}}},
            {"type": "object", "properties": {"b": {"type": "string"}}},
            [],
            id="no longer required",
        ),
    ],
)
def test_property_required(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "property-required"] == found
