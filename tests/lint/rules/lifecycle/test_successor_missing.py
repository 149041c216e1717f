from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]

OLD = "# file: orders/created.yaml\nurn: urn:babel:orders:created\nstatus: deprecated\nsunset: 2099-06-30\n"
CONSUMED = OLD + "consumers: [billing-worker]\n"
SERVICE = "# file: _services/billing-worker.yaml\nowner: a\nconsumes: [{urn: 'urn:babel:orders:created'}]\n"


@pytest.mark.parametrize(
    "block, found",
    [
        pytest.param(CONSUMED, True, id="a consumer and nowhere to go"),
        pytest.param(OLD + SERVICE, True, id="a consumer that says so in its own file"),
        pytest.param(OLD, False, id="no consumer"),
        pytest.param(
            CONSUMED
            + "# file: orders/placed.yaml\nurn: urn:babel:orders:placed\nsupersedes: urn:babel:orders:created\n",
            False,
            id="a message of another name takes its place",
        ),
        pytest.param(
            CONSUMED + "# file: orders/created.v2.yaml\nurn: urn:babel:orders:created.v2\n",
            False,
            id="a next version that forgot to say so",
        ),
        pytest.param(
            CONSUMED + "# file: orders/created.v2.yaml\nurn: [\n", False, id="a next version that cannot be read"
        ),
        pytest.param(CONSUMED.replace("deprecated", "active"), False, id="an active message"),
    ],
)
def test_successor_missing(block: str, found: bool, findings: Lint) -> None:
    reported = findings(block, "successor-missing")
    assert [str(f.place) for f in reported] == (["orders/created.yaml:2:9"] if found else [])


def test_it_names_one_consumer_and_counts_the_others(findings: Lint) -> None:
    (found,) = findings(CONSUMED.replace("[billing-worker]", "[billing-worker, storefront]"), "successor-missing")
    assert "'billing-worker' (with 1 more)" in found.message
