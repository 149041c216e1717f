from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"type": "object", "additionalProperties": {"type": "integer"}, "propertyNames": {"maxLength": 3}},
            ["'x' no longer takes {\"zz_x\": 0} (propertyNames)"],
            id="names must match",
        ),
        pytest.param(
            {"type": "object"},
            {"type": "object", "minProperties": 1},
            ["minProperties 1 is new for 'x'"],
            id="at least one",
        ),
        pytest.param(
            {"type": "object"},
            {"type": "object", "additionalProperties": False},
            [],
            id="closed, which tolerant readers do not care about",
        ),
    ],
)
def test_property_names_changed(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "property-names-changed"] == found
