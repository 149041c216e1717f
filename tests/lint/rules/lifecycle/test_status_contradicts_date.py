from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "lines, found",
    [
        pytest.param("status: active\nsunset: 2099-06-30\n", ["/sunset"], id="active with a sunset"),
        pytest.param("sunset: 2099-06-30\n", ["/sunset"], id="active unless said otherwise"),
        pytest.param("status: draft\nsunset: 2099-06-30\n", ["/sunset"], id="a draft with a sunset"),
        pytest.param("status: active\nretired_on: 2026-01-31\n", ["/retired_on"], id="active and retired"),
        pytest.param(
            "status: deprecated\nsunset: 2099-06-30\nretired_on: 2026-01-31\n", ["/retired_on"], id="both days"
        ),
        pytest.param("status: deprecated\nsunset: 2099-06-30\n", [], id="deprecated with a sunset"),
        pytest.param("status: deprecated\n", [], id="deprecated without one"),
        pytest.param("status: retired\nretired_on: 2026-01-31\n", [], id="a tombstone"),
        pytest.param("status: retired\nsunset: 2025-12-31\nretired_on: 2026-01-31\n", [], id="a sunset left over"),
    ],
)
def test_status_contradicts_date(lines: str, found: list[str], findings: Lint) -> None:
    reported = findings(f"urn: urn:babel:orders:created\n{lines}", "status-contradicts-date")
    assert [f.pointer for f in reported] == found
