from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "text, found",
    [
        pytest.param("kind: command\nconsumers: []\n", 1, id="a command without"),
        pytest.param("kind: command\nconsumers: [billing-worker]\n", 0, id="a command with"),
        pytest.param("kind: event\nconsumers: []\n", 0, id="an event needs none"),
        pytest.param("kind: command\nconsumers: []\nstatus: draft\n", 0, id="a draft"),
        pytest.param(
            "kind: command\nconsumers: []\n# file: _services/zoo.yaml\nconsumes:\n  - urn: urn:babel:orders:ship\n",
            0,
            id="said in the service's file",
        ),
    ],
)
def test_consumer_missing(text: str, found: int, findings: Lint) -> None:
    assert len(findings(f"# file: orders/ship.yaml\nurn: urn:babel:orders:ship\n{text}", "consumer-missing")) == found
