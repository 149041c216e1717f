from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]

ONE = "# file: orders/{0}.yaml\nurn: urn:babel:orders:{0}\n"
OF = ONE + "supersedes: urn:babel:orders:{1}\n"
OLD = ONE.format("created")


@pytest.mark.parametrize(
    "block, found",
    [
        pytest.param(OLD + OF.format("accepted", "created"), [], id="one successor"),
        pytest.param(
            OLD + OF.format("accepted", "created") + OF.format("placed", "created"), ["orders/placed.yaml"], id="two"
        ),
        pytest.param(
            OLD + OF.format("a", "created") + OF.format("b", "created") + OF.format("c", "created"),
            ["orders/b.yaml", "orders/c.yaml"],
            id="three",
        ),
        pytest.param(
            OLD
            + OF.format("accepted", "created")
            + OF.format("placed", "created")
            + "status: retired\nretired_on: 2026-01-31\n",
            [],
            id="one of two is gone",
        ),
        pytest.param(
            OLD + OF.format("created.v2", "created") + OF.format("created.v3", "created"),
            [],
            id="a skipped version, which is said elsewhere",
        ),
        pytest.param(OF.format("created", "created") + OF.format("placed", "created"), [], id="one names itself"),
    ],
)
def test_superseded_twice(block: str, found: list[str], findings: Lint) -> None:
    reported = findings(block, "superseded-twice")
    assert [f.place.path for f in reported] == found
    assert all(f.against is not None and f.against.path != f.place.path for f in reported)
