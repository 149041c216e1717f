from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"type": "string", "x-gdpr-sensitive": "email"},
            {"type": "string"},
            ["property 'x' is no longer marked x-gdpr-sensitive"],
            id="the mark is gone",
        ),
        pytest.param({"type": "string"}, {"type": "string", "x-gdpr-sensitive": "email"}, [], id="the mark is new"),
        pytest.param(
            {"type": "string", "x-gdpr-sensitive": "email"},
            {"type": "string", "x-gdpr-sensitive": "phone"},
            [],
            id="another category",
        ),
        pytest.param(
            {"type": "string", "x-gdpr-sensitive": True},
            {"type": "string", "x-gdpr-sensitive": False},
            ["property 'x' is no longer marked x-gdpr-sensitive"],
            id="turned off",
        ),
        pytest.param(
            {"type": "string", "x-gdpr-sensitive": True},
            {"allOf": [{"type": "string", "x-gdpr-sensitive": True}]},
            [],
            id="moved into an allOf",
        ),
    ],
)
def test_sensitivity_removed(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "sensitivity-removed"] == found
