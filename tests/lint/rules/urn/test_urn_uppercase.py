from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "urn, column, meant",
    [
        pytest.param("urn:babel:Orders:created", 16, "urn:babel:orders:created", id="in the context"),
        pytest.param("urn:babel:orders:Created", 23, "urn:babel:orders:created", id="in the name"),
        pytest.param("URN:babel:orders:created", 6, "urn:babel:orders:created", id="in the prefix"),
        pytest.param("urn:babel:orders:created.V2", 31, "urn:babel:orders:created.v2", id="in the version"),
        pytest.param("urn:babel:orders:orderPaid", 28, "urn:babel:orders:order-paid", id="humps"),
        pytest.param("urn:babel:orders:CREATED", 23, "urn:babel:orders:created", id="all capitals"),
    ],
)
def test_capitals_are_reported_once_with_the_lower_case(urn: str, column: int, meant: str, findings: Lint) -> None:
    found = [f for f in findings(f"# file: orders/created.yaml\nurn: {urn}\n") if f.rule.startswith("urn-")]
    assert [(f.rule, f.place.column, f.fix) for f in found] == [("urn-uppercase", column, f"urn: {meant}")]
