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
            ["maxLength 3 was added to the names of 'x'"],
            id="names must match",
        ),
        pytest.param(
            {"type": "object", "propertyNames": {"pattern": "^[a-z]+$", "maxLength": 3}},
            {"type": "object", "propertyNames": {"pattern": "^[a-z]+$", "maxLength": 5}},
            ["maxLength of the names of 'x' changed from 3 to 5"],
            id="longer names",
        ),
        pytest.param(
            {"type": "object", "propertyNames": {"anyOf": [{"maxLength": 3}, {"const": "long"}]}},
            {"type": "object", "propertyNames": {"anyOf": [{"maxLength": 3}]}},
            ['anyOf of the names of \'x\' changed from [{"maxLength": 3}, {"const": "long"}] to [{"maxLength": 3}]'],
            id="names of a union",
        ),
        pytest.param(
            {"type": "object"},
            {"type": "object", "minProperties": 1},
            ["minProperties 1 was added to 'x'"],
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
