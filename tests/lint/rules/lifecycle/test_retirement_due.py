from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]

TODAY = date(2026, 11, 20)
OLD = "# file: orders/created.yaml\nurn: urn:babel:orders:created\nstatus: {}\nsunset: {}\n"
CONSUMED = OLD + "consumers: [billing-worker]\n"


@pytest.mark.parametrize(
    "block, found",
    [
        pytest.param(OLD.format("deprecated", "2026-11-20"), True, id="over and unused"),
        pytest.param(OLD.format("deprecated", "2026-11-21"), False, id="one day left"),
        pytest.param(CONSUMED.format("deprecated", "2026-11-20"), False, id="over and still used"),
        pytest.param(OLD.format("active", "2026-11-20"), False, id="active"),
        pytest.param(OLD.format("retired", "2026-11-20") + "retired_on: 2026-11-20\n", False, id="retired already"),
    ],
)
def test_retirement_due(block: str, found: bool, findings: Lint) -> None:
    reported = findings(block, "retirement-due", today=TODAY)
    assert [f.fix for f in reported] == (["status: retired, with retired_on: 2026-11-20"] if found else [])
