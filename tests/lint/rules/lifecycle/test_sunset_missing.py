from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "lines, found",
    [
        pytest.param("status: deprecated\n", True, id="deprecated without a day"),
        pytest.param("status: deprecated\nsunset: 2099-06-30\n", False, id="with a day"),
        pytest.param("status: deprecated\nsunset: 2020-06-30\n", False, id="with a day that is over"),
        pytest.param("status: active\n", False, id="active"),
        pytest.param("status: draft\n", False, id="a draft"),
        pytest.param("status: retired\nretired_on: 2026-01-31\n", False, id="a tombstone"),
    ],
)
def test_sunset_missing(lines: str, found: bool, findings: Lint) -> None:
    reported = findings(f"urn: urn:babel:orders:created\n{lines}", "sunset-missing")
    assert [(f.place.line, f.fix) for f in reported] == ([(2, "sunset: YYYY-MM-DD")] if found else [])
