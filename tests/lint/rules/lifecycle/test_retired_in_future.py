from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "status, retired_on, found",
    [
        pytest.param("retired", "2026-11-20", False, id="today"),
        pytest.param("retired", "2026-11-21", False, id="today where the sun rises first"),
        pytest.param("retired", "2026-11-22", True, id="the day after tomorrow"),
        pytest.param("retired", "2020-01-01", False, id="long ago"),
        pytest.param("retired", "2026-11-31", False, id="no such day"),
        pytest.param("deprecated", "2026-11-22", False, id="not retired"),
    ],
)
def test_retired_in_future(status: str, retired_on: str, found: bool, findings: Lint) -> None:
    block = f"urn: urn:babel:orders:created\nstatus: {status}\nretired_on: {retired_on}\n"
    reported = findings(block, "retired-in-future", today=date(2026, 11, 20))
    assert [f.fix for f in reported] == (["status: deprecated, with sunset: 2026-11-22"] if found else [])


@pytest.mark.parametrize("today", [date.min, date.max])
def test_the_first_and_the_last_day_do_no_harm(today: date, findings: Lint) -> None:
    for retired_on in ("0001-01-01", "9999-12-31"):
        block = f"urn: urn:babel:orders:created\nstatus: retired\nretired_on: {retired_on}\n"
        expected = 1 if (today, retired_on) == (date.min, "9999-12-31") else 0
        assert len(findings(block, "retired-in-future", today=today)) == expected
