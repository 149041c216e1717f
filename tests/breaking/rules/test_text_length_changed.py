from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"type": "string", "maxLength": 9},
            {"type": "string", "maxLength": 5},
            ["maxLength of 'x' changed from 9 to 5"],
            id="shorter",
        ),
        pytest.param(
            {"type": "string", "maxLength": 5},
            {"type": "string", "maxLength": 9},
            ["maxLength of 'x' changed from 5 to 9"],
            id="longer",
        ),
        pytest.param(
            {"type": "string"},
            {"type": "string", "minLength": 1},
            ["minLength 1 was added to 'x'"],
            id="not empty any more",
        ),
    ],
)
def test_text_length_changed(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "text-length-changed"] == found
