from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


def versions(*statuses: str) -> str:
    block = ""
    for number, status in enumerate(statuses, 1):
        name = "created" + (f".v{number}" if number > 1 else "")
        day = "retired_on: 2026-01-31\n" if status == "retired" else ""
        block += f"# file: orders/{name}.yaml\nurn: urn:babel:orders:{name}\nstatus: {status}\n{day}"
    return block


@pytest.mark.parametrize(
    "statuses, found",
    [
        pytest.param(["active"] * 4, ["orders/created.yaml"], id="four"),
        pytest.param(["active"] * 3, [], id="three"),
        pytest.param(["deprecated", "deprecated", "active", "active"], ["orders/created.yaml"], id="deprecated counts"),
        pytest.param(["retired", "active", "active", "active"], [], id="retired does not"),
        pytest.param(["active", "active", "active", "draft"], [], id="a draft does not"),
        pytest.param(["retired", *["active"] * 4], ["orders/created.v2.yaml"], id="the oldest of those in use"),
        pytest.param(["active"] * 12, ["orders/created.yaml"], id="twelve, by number and not by text"),
    ],
)
def test_live_versions_many(statuses: list[str], found: list[str], findings: Lint) -> None:
    assert [f.place.path for f in findings(versions(*statuses), "live-versions-many")] == found
