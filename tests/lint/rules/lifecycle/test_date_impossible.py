from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "status, key, said, found",
    [
        pytest.param("deprecated", "sunset", "2099-06-31", True, id="June has thirty days"),
        pytest.param("deprecated", "sunset", "2027-02-29", True, id="no leap year"),
        pytest.param("deprecated", "sunset", "0000-01-01", True, id="no year zero"),
        pytest.param("retired", "retired_on", "2026-13-01", True, id="no thirteenth month"),
        pytest.param("deprecated", "sunset", "2028-02-29", False, id="a leap year"),
        pytest.param("retired", "retired_on", "2026-01-31", False, id="a day like any other"),
        pytest.param("deprecated", "sunset", "9999-12-31", False, id="the last day there is"),
    ],
)
def test_date_impossible(status: str, key: str, said: str, found: bool, findings: Lint) -> None:
    reported = findings(f"urn: urn:babel:orders:created\nstatus: {status}\n{key}: {said}\n", "date-impossible")
    assert [f.place.line for f in reported] == ([3] if found else [])
