from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"type": "integer", "x-unit": "ms"},
            {"type": "integer", "x-unit": "s"},
            ["the unit of property 'x' changed from ms to s"],
            id="another unit",
        ),
        pytest.param(
            {"type": "integer", "x-unit": "ms"},
            {"type": "integer", "minimum": 0, "x-unit": "ms"},
            [],
            id="the same unit",
        ),
        pytest.param({"type": "integer"}, {"type": "integer", "x-unit": "ms"}, [], id="a unit for the first time"),
        pytest.param(
            {"type": "integer", "x-unit": "ms"},
            {"type": "integer"},
            ["the unit of property 'x' changed from ms to nothing"],
            id="no unit any more",
        ),
    ],
)
def test_unit_changed(old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "unit-changed"] == found
