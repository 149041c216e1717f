from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"const": "a"}, {"const": "b"}, [("both", 'the value of \'x\' changed from "a" to "b"')], id="a const"
        ),
        pytest.param(
            {"enum": ["a"]},
            {"enum": ["b"]},
            [("both", 'the value of \'x\' changed from "a" to "b"')],
            id="a list of one",
        ),
        pytest.param(
            {"enum": ["a"]},
            {"const": "b"},
            [("both", 'the value of \'x\' changed from "a" to "b"')],
            id="in other words",
        ),
        pytest.param(
            {"enum": ["a", "b"]},
            {"enum": ["c", "d"]},
            [("both", 'the value of \'x\' changed from one of ["a", "b"] to one of ["c", "d"]')],
            id="all of several",
        ),
        pytest.param({"const": "a"}, {"enum": ["a", "b"]}, [], id="the old one stays"),
        pytest.param({"type": "string"}, {"const": "a"}, [], id="none was fixed before"),
    ],
)
def test_value_changed(old: Any, new: Any, found: list[Any], data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    changed = [f for f in data_breaks(old, new) if f.rule in ("value-changed", "enum-value-added")]
    assert [(f.direction, f.message) for f in changed if f.rule == "value-changed"] == found
    assert not found or len(changed) == 1
