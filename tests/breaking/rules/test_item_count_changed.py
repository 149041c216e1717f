from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"type": "array", "maxItems": 9},
            {"type": "array", "maxItems": 5},
            ["maxItems of 'x' changed from 9 to 5"],
            id="fewer",
        ),
        pytest.param(
            {"type": "array"},
            {"type": "array", "minItems": 1},
            ["minItems 1 was added to 'x'"],
            id="not empty any more",
        ),
        pytest.param(
            {"type": "array"},
            {"type": "array", "uniqueItems": True},
            ["uniqueItems true was added to 'x'"],
            id="no two alike any more",
        ),
        pytest.param(
            {"type": "array"},
            {"type": "array", "contains": {"type": "integer"}},
            ['contains {"type": "integer"} was added to \'x\''],
            id="one of a kind is asked for",
        ),
        pytest.param(
            {"type": "array", "contains": {"type": "integer"}, "maxContains": 3},
            {"type": "array", "contains": {"type": "integer"}, "maxContains": 2},
            ["maxContains of 'x' changed from 3 to 2"],
            id="fewer of a kind are allowed",
        ),
        pytest.param(
            {"type": "array", "contains": {"type": "integer"}},
            {"type": "array", "contains": {"type": "integer"}, "minContains": 2},
            ["minContains 2 was added to 'x'"],
            id="more of a kind are asked for",
        ),
    ],
)
def test_item_count_changed(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "item-count-changed"] == found
