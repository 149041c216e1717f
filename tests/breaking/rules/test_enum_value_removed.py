from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param({"enum": ["a", "b"]}, {"enum": ["a"]}, ["value \"b\" of 'x' was removed"], id="one of two"),
        pytest.param(
            {"type": "string"},
            {"type": "string", "enum": ["a"]},
            ["'x' became limited to value \"a\""],
            id="a list where there was none",
        ),
        pytest.param({"const": "a"}, {"const": "b"}, [], id="the only one is another"),
        pytest.param(
            {"enum": ["a", "b", "c"]}, {"enum": ["c"]}, ['values "a", "b" of \'x\' were removed'], id="two of three"
        ),
        pytest.param({"enum": ["a"]}, {"enum": ["a", "b"]}, [], id="one is new"),
        pytest.param(
            {"type": "string", "enum": ["a", "b"], "x-open-enum": True},
            {"type": "string", "enum": ["a"], "x-open-enum": True},
            [],
            id="in an open list too: old data may still hold it",
        ),
    ],
)
def test_enum_value_removed(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "enum-value-removed"] == found
