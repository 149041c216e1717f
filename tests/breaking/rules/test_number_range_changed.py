from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"type": "integer", "minimum": 0},
            {"type": "integer", "minimum": 1},
            ["minimum of 'x' changed from 0 to 1"],
            id="a minimum grows",
        ),
        pytest.param(
            {"type": "integer"},
            {"type": "integer", "maximum": 9},
            ["maximum 9 was added to 'x'"],
            id="a maximum is new",
        ),
        pytest.param(
            {"type": "integer", "maximum": 9},
            {"type": "integer"},
            ["maximum 9 was removed from 'x'"],
            id="a maximum is gone",
        ),
        pytest.param(
            {"type": "integer"},
            {"type": "integer", "multipleOf": 5},
            ["multipleOf 5 was added to 'x'"],
            id="steps",
        ),
        pytest.param(
            {"type": "integer", "minimum": 1},
            {"type": "integer", "exclusiveMinimum": 0},
            [],
            id="spelled otherwise",
        ),
    ],
)
def test_number_range_changed(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "number-range-changed"] == found
