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
        pytest.param(CONSUMED.format("deprecated", "2026-11-19"), True, id="over since yesterday"),
        pytest.param(CONSUMED.format("deprecated", "2026-11-20"), True, id="no longer sent from today on"),
        pytest.param(CONSUMED.format("deprecated", "2026-11-21"), False, id="one day left"),
        pytest.param(OLD.format("deprecated", "2026-11-19"), False, id="nobody consumes it"),
        pytest.param(CONSUMED.format("active", "2026-11-19"), False, id="not deprecated"),
        pytest.param(CONSUMED.format("deprecated", "2026-02-31"), False, id="no such day"),
        pytest.param(
            OLD.format("deprecated", "2026-11-19")
            + "# file: _services/crm.yaml\nowner: a\nconsumes: [{urn: 'urn:babel:orders:created'}]\n",
            True,
            id="consumed by what a service's own file says",
        ),
    ],
)
def test_sunset_passed(block: str, found: bool, findings: Lint) -> None:
    reported = findings(block, "sunset-passed", today=TODAY)
    assert [str(f.place) for f in reported] == (["orders/created.yaml:3:9"] if found else [])


def test_the_way_out_names_the_successor(findings: Lint) -> None:
    new = "# file: orders/placed.yaml\nurn: urn:babel:orders:placed\nsupersedes: urn:babel:orders:created\n"
    (found,) = findings(CONSUMED.format("deprecated", "2026-11-19") + new, "sunset-passed", today=TODAY)
    assert found.fix == "make them consume urn:babel:orders:placed, or agree on a later date: sunset: YYYY-MM-DD"


def test_many_consumers_are_counted(findings: Lint) -> None:
    block = CONSUMED.format("deprecated", "2026-11-19").replace("[billing-worker]", "[a, b, c, d, e, f, g]")
    (found,) = findings(block, "sunset-passed", today=TODAY)
    assert found.message.endswith("still consumed by a, b, c, d, e and 2 more")
