"""A URN has one name in each wire format."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
URN = "urn:babel:orders:created"
FILES = f"# file: orders/created.yaml\nurn: {URN}\n# file: babelreg.yaml\nversion: 1\nwires:\n"


@pytest.mark.parametrize(
    "wires, found",
    [
        pytest.param(f"  phpmq: {{queues: {{A: {URN}}}}}\n  flowlayer: {{events: {{a: {URN}}}}}", [], id="two formats"),
        pytest.param(
            f"  phpmq:\n    queues:\n      A: {URN}\n      B: {URN}",
            [("babelreg.yaml:6:7", "babelreg.yaml:5:7", "remove the entry 'B', or map it to a different URN")],
            id="two queues",
        ),
        pytest.param(
            f"  flowlayer:\n    commands: {{start: {URN}}}\n    events: {{log: {URN}}}",
            [
                (
                    "babelreg.yaml:5:14",
                    "babelreg.yaml:4:16",
                    "remove the entry 'flowlayer.events.log', or map it to a different URN",
                )
            ],
            id="a command and an event",
        ),
        pytest.param(
            f"  strata:\n    Orders:\n      create:\n        request: {URN}\n        response: {URN}",
            [("babelreg.yaml:7:9", "babelreg.yaml:6:9", "remove the entry 'response', or map it to a different URN")],
            id="a request and its response",
        ),
        pytest.param(
            "  phpmq:\n    queues:\n      A: urn:a\n      B: urn:a", [], id="an undeclared one is another rule's"
        ),
    ],
)
def test_a_urn_has_one_name(wires: str, found: list[tuple[str, str, str]], findings: Lint) -> None:
    reported = findings(f"{FILES}{wires}\n", "wire-urn-repeated")
    assert [(str(f.place), str(f.against), f.fix) for f in reported] == found
