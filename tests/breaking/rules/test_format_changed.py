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
            {"type": "string", "format": "email"},
            ["format \"email\" was added to 'x'"],
            id="new",
        ),
        pytest.param(
            {"type": "string", "format": "email"},
            {"type": "string"},
            ["format \"email\" was removed from 'x'"],
            id="gone",
        ),
        pytest.param(
            {"type": "string", "format": "email"},
            {"type": "string", "format": "email", "maxLength": 100},
            [],
            id="the same",
        ),
    ],
)
def test_format_changed(old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "format-changed"] == found
