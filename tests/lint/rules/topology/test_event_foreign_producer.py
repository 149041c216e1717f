from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]

FILES = """\
# file: orders/_context.yaml
owner: team-orders
# file: billing/_context.yaml
owner: team-billing
# file: _services/orphan.yaml
lang: go
"""


@pytest.mark.parametrize(
    "lines, found",
    [
        pytest.param("producers: [billing-worker]\n", ["/producers/0"], id="a service of another context"),
        pytest.param("producers: [orders-api, billing-worker]\n", ["/producers/1"], id="one of two"),
        pytest.param("producers: [orders-api]\n", [], id="a service of its own context"),
        pytest.param("producers: [storefront]\n", [], id="a team without a context"),
        pytest.param("producers: [orphan]\n", [], id="a service that nobody owns"),
        pytest.param("producers: [unheard-of]\n", [], id="an unknown service"),
        pytest.param("owner: team-billing\nproducers: [billing-worker]\n", [], id="the teams have agreed"),
        pytest.param("kind: command\nproducers: [billing-worker]\n", [], id="a command comes from anywhere"),
        pytest.param("status: draft\nproducers: [billing-worker]\n", ["/producers/0"], id="a draft"),
    ],
)
def test_event_foreign_producer(lines: str, found: list[str], findings: Lint) -> None:
    block = f"{FILES}# file: orders/created.yaml\nurn: urn:babel:orders:created\n{lines}"
    assert [f.pointer for f in findings(block, "event-foreign-producer")] == found


def test_a_team_may_own_two_contexts(findings: Lint) -> None:
    block = FILES.replace("team-billing", "team-orders") + "# file: _services/billing-worker.yaml\nowner: team-orders\n"
    block += "# file: orders/created.yaml\nurn: urn:babel:orders:created\nproducers: [billing-worker]\n"
    assert findings(block, "event-foreign-producer") == []
