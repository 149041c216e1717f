from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


def chain(*statuses: str) -> str:
    """Versions 1 to n of one message, each superseding the one before."""
    block = ""
    for number, status in enumerate(statuses, 1):
        urn = "urn:babel:orders:created" + (f".v{number}" if number > 1 else "")
        before = "urn:babel:orders:created" + (f".v{number - 1}" if number > 2 else "")
        path = urn.rpartition(":")[2]
        block += f"# file: orders/{path}.yaml\nurn: {urn}\nstatus: {status}\n"
        block += f"supersedes: {before}\n" if number > 1 else ""
        block += "retired_on: 2026-01-31\n" if status == "retired" else ""
    return block


@pytest.mark.parametrize(
    "statuses, found",
    [
        pytest.param(["deprecated", "active"], [], id="an active successor"),
        pytest.param(["deprecated", "deprecated", "active"], [], id="a chain that ends well"),
        pytest.param(["deprecated", "draft"], ["orders/created.yaml"], id="a draft"),
        pytest.param(["deprecated", "retired"], ["orders/created.yaml"], id="a tombstone"),
        pytest.param(
            ["deprecated", "deprecated", "draft"],
            ["orders/created.v2.yaml", "orders/created.yaml"],
            id="a chain that ends at a draft",
        ),
        pytest.param(["deprecated", "retired", "active"], ["orders/created.yaml"], id="a tombstone in between"),
        pytest.param(["deprecated"], [], id="no successor"),
        pytest.param(["active", "draft"], [], id="not deprecated"),
        pytest.param(["draft", "draft"], [], id="two drafts"),
    ],
)
def test_successor_not_active(statuses: list[str], found: list[str], findings: Lint) -> None:
    reported = findings(chain(*statuses), "successor-not-active")
    assert [f.place.path for f in reported] == found


def test_a_circle_ends(findings: Lint) -> None:
    one = "# file: orders/{0}.yaml\nurn: urn:babel:orders:{0}\nstatus: deprecated\nsupersedes: urn:babel:orders:{1}\n"
    assert findings(one.format("placed", "created") + one.format("created", "placed"), "successor-not-active") == []
