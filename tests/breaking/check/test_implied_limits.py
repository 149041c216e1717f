"""A limit that follows from another one of the same value is a part of its finding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding

UUID = "^[a-fA-F0-9]{8}(-[a-fA-F0-9]{4}){3}-[a-fA-F0-9]{12}$"
TEXT = {"type": "string"}


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {**TEXT, "pattern": UUID, "maxLength": 36},
            TEXT,
            {"pattern-changed": ["pattern-changed", "text-length-changed"]},
            id="a pattern that bounds the length goes with the bound",
        ),
        pytest.param(
            TEXT,
            {**TEXT, "maxLength": 36, "minLength": 30, "pattern": UUID},
            {"pattern-changed": ["pattern-changed", "text-length-changed", "text-length-changed"]},
            id="a pattern that bounds the length comes with two bounds",
        ),
        pytest.param(
            {**TEXT, "pattern": UUID, "maxLength": 35},
            TEXT,
            {"pattern-changed": [], "text-length-changed": []},
            id="a bound that says more than the pattern",
        ),
        pytest.param(
            {**TEXT, "pattern": "^a", "maxLength": 36},
            TEXT,
            {"pattern-changed": [], "text-length-changed": []},
            id="a pattern of texts of any length",
        ),
        pytest.param(
            {"type": "integer", "minimum": 1, "exclusiveMinimum": 0},
            {"type": "integer"},
            {"number-range-changed": ["number-range-changed", "number-range-changed"]},
            id="two bounds that say the same",
        ),
        pytest.param(
            {"type": "object", "required": ["a", "b"], "minProperties": 2},
            {"type": "object"},
            {"property-optional": ["property-optional", "property-optional"], "property-names-changed": []},
            id="required properties are findings of their own",
        ),
    ],
)
def test_a_limit_that_follows_from_another_one_is_a_part(
    old: Any, new: Any, found: dict[str, list[str]], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    every = data_breaks(old, new)
    assert {finding.rule: sorted(part.rule for part in finding.parts) for finding in every} == found
    assert len(every) == len(found)


def test_a_limit_that_follows_in_one_direction_only_has_a_finding(
    data_breaks: Callable[[Any, Any], list[Finding]],
) -> None:
    old, new = {**TEXT, "pattern": UUID, "maxLength": 36}, {**TEXT, "maxLength": 30}
    assert sorted(finding.rule for finding in data_breaks(old, new)) == ["pattern-changed", "text-length-changed"]
