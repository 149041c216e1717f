from __future__ import annotations

from collections.abc import Callable

import pytest

InData = Callable[..., list[str]]
RULE = "step-not-binary"


@pytest.mark.parametrize("step", ["0.01", "0.1", "0.05", "1.1", "1e-3", "0.3333"])
def test_a_step_that_no_double_holds_is_reported(step: str, in_data: InData) -> None:
    assert in_data(RULE, f"a: {{type: number, multipleOf: {step}}}") == ["a.multipleOf"]


@pytest.mark.parametrize("step", ["1", "5", "0.5", "0.25", "1.0", "2.5", "0", "-0.1", "x", "1e300"])
def test_a_step_that_one_holds_is_not(step: str, in_data: InData) -> None:
    assert in_data(RULE, f"a: {{type: number, multipleOf: {step}}}") == []


def test_a_decimal_column_takes_its_scale_from_it(in_data: InData) -> None:
    assert in_data(RULE, "a: {type: number, multipleOf: 0.01, x-spark-type: decimal}") == []
