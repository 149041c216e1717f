from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"type": "object", "properties": {"amount": {"type": "integer"}}},
            {"type": "object", "properties": {"amount_minor": {"type": "integer"}}},
            ["property 'x.amount' was renamed to 'x.amount_minor'"],
            id="same shape, name alike",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "integer"}, "mail": {"type": "string"}}},
            {"type": "object", "properties": {"a": {"type": "integer"}, "contact": {"type": "string"}}},
            ["property 'x.mail' was renamed to 'x.contact'"],
            id="same shape, the only one that came and went",
        ),
        pytest.param(
            {"type": "object", "properties": {"amount": {"type": "integer"}}},
            {"type": "object", "properties": {"amount_minor": {"type": "string"}}},
            [],
            id="another shape is no rename",
        ),
        pytest.param(
            {"type": "object", "properties": {"total_a": {"type": "integer"}}},
            {"type": "object", "properties": {"total_b": {"type": "integer"}, "total_c": {"type": "integer"}}},
            [],
            id="two that came could be it",
        ),
        pytest.param(
            {
                "type": "object",
                "properties": {
                    "a": {"type": "integer"},
                    "b": {"type": "object", "properties": {"c": {"type": "string"}}},
                },
            },
            {
                "type": "object",
                "properties": {
                    "b": {"type": "object", "properties": {"c": {"type": "string"}, "a": {"type": "integer"}}}
                },
            },
            [],
            id="at another place is no rename",
        ),
        pytest.param(
            {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "integer"}}},
            {"type": "object", "required": ["amount_minor"], "properties": {"amount_minor": {"type": "integer"}}},
            ["property 'x.amount' was renamed to 'x.amount_minor'"],
            id="a required one, once",
        ),
    ],
)
def test_property_renamed(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "property-renamed"] == found
