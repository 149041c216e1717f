from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]

V1 = "# file: orders/created.yaml\nurn: urn:babel:orders:created\n"
V2 = "# file: orders/created.v2.yaml\nurn: urn:babel:orders:created.v2\n"
V3 = "# file: orders/created.v3.yaml\nurn: urn:babel:orders:created.v3\n"
PLACED = "# file: orders/placed.yaml\nurn: urn:babel:orders:placed\n"
GONE = "status: retired\nretired_on: 2026-01-31\n"
OF_V1 = "supersedes: urn:babel:orders:created\n"
OF_V2 = "supersedes: urn:babel:orders:created.v2\n"
OF_PLACED = "supersedes: urn:babel:orders:placed\n"


@pytest.mark.parametrize(
    "block, found",
    [
        pytest.param(V1 + V2, ["urn:babel:orders:created"], id="nothing said"),
        pytest.param(V1 + V2 + OF_V1, [], id="said"),
        pytest.param(V1 + V2 + "status: draft\n", ["urn:babel:orders:created"], id="a draft that says nothing"),
        pytest.param(V1 + GONE + V2, [], id="the version before is gone"),
        pytest.param(V1 + V2 + GONE, [], id="the version is gone"),
        pytest.param(V2, [], id="the version before is unknown"),
        pytest.param(V1 + V2 + OF_V1 + V3 + OF_V1, ["urn:babel:orders:created.v2"], id="one is skipped"),
        pytest.param(V1 + V2 + GONE + V3 + OF_V1, [], id="one that is gone is skipped"),
        pytest.param(V1 + V2 + PLACED + OF_V1.replace("created", "x"), ["urn:babel:orders:created"], id="of another"),
        pytest.param(V1 + PLACED + V2 + OF_PLACED, ["urn:babel:orders:created"], id="another name instead"),
        pytest.param(V1 + V2 + "supersedes: urn:babel:orders:creatd\n", [], id="misspelt, which is said elsewhere"),
        pytest.param(V1 + V2 + OF_V2, [], id="itself, which is said elsewhere"),
        pytest.param(PLACED + OF_V1 + V1, [], id="a first version may supersede what it likes"),
    ],
)
def test_predecessor_not_superseded(block: str, found: list[str], findings: Lint) -> None:
    reported = findings(block, "predecessor-not-superseded")
    assert [f.fix for f in reported] == [f"supersedes: {urn}" for urn in found]
