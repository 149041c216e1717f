from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "text, found",
    [
        pytest.param("producers: []\n", 1, id="an empty list"),
        pytest.param("producers: [orders-api]\n", 0, id="one"),
        pytest.param("producers: []\nstatus: deprecated\nsunset: 2030-01-01\n", 1, id="still sent"),
        pytest.param("producers: []\nstatus: draft\n", 0, id="a draft"),
        pytest.param("status: retired\nretired_on: 2026-01-31\n", 0, id="a tombstone"),
    ],
)
def test_producer_missing(text: str, found: int, findings: Lint) -> None:
    assert len(findings(f"urn: urn:babel:orders:created\n{text}", "producer-missing")) == found
