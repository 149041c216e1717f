from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param({"enum": ["a"]}, {"enum": ["a", "b"]}, ["value \"b\" of 'x' was added"], id="one is new"),
        pytest.param(
            {"type": "string", "enum": ["a"]},
            {"type": "string"},
            ["'x' is no longer limited to value \"a\""],
            id="the list is gone",
        ),
        pytest.param(
            {"type": "string", "enum": ["a"], "x-open-enum": True},
            {"type": "string", "enum": ["a", "b"], "x-open-enum": True},
            [],
            id="an open list grows",
        ),
        pytest.param({"enum": ["a", "b"]}, {"enum": ["a"]}, [], id="one is gone"),
    ],
)
def test_enum_value_added(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "enum-value-added"] == found
