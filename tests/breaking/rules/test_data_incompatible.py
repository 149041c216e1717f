from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"prefixItems": [{"type": "integer"}]},
            {"prefixItems": [False]},
            ["'x[]' 0 is refused by the new schema (false)"],
            id="nothing goes there any more",
        ),
        pytest.param({"type": "integer"}, {"type": "string"}, [], id="anything else has a name of its own"),
    ],
)
def test_data_incompatible(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "data-incompatible"] == found
