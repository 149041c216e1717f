from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "string"}]},
            ["'x' may no longer be 0 (anyOf)"],
            id="a branch is gone",
        ),
        pytest.param(
            {"anyOf": [{"type": "string"}]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            ["'x' may now be 0 (anyOf)"],
            id="a branch is new",
        ),
        pytest.param(
            {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            {"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "number"}]},
            ["'x' may no longer be 0 (oneOf, for two variants take it)", "'x' may now be 0.5 (oneOf)"],
            id="two branches admit the same",
        ),
        pytest.param(
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            [],
            id="another order",
        ),
    ],
)
def test_union_changed(old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "union-changed"] == found
