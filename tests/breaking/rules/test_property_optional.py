from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"type": "object", "required": ["b"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            ["property 'x.b' is no longer required"],
            id="no longer required",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "required": ["b"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            [],
            id="became required",
        ),
        pytest.param(
            {"type": "object", "required": ["b"], "properties": {"b": {"type": "string"}}},
            {"type": "object", "properties": {"b": {"type": "string"}}, "allOf": [{"required": ["b"]}]},
            [],
            id="still required by a branch",
        ),
    ],
)
def test_property_optional(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "property-optional"] == found
