"""A mapped URN is declared."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
FILES = """\
# file: orders/created.yaml
urn: urn:babel:orders:created
# file: orders/broken.yaml
urn: [
# file: babelreg.yaml
version: 1
wires:
"""
REMOVE = "remove the entry, or declare the message"


@pytest.mark.parametrize(
    "wires, found",
    [
        pytest.param("  phpmq: {queues: {Foo: urn:babel:orders:created}}", [], id="declared"),
        pytest.param(
            "  phpmq: {queues: {Foo: urn:babel:orders:creatd}}",
            [("babelreg.yaml:3:25", "Foo: urn:babel:orders:created")],
            id="misspelt",
        ),
        pytest.param(
            "  flowlayer:\n    commands: {x: urn:babel:zoo:fed}\n    events: {y: urn:babel:zoo:left}",
            [("babelreg.yaml:4:19", REMOVE), ("babelreg.yaml:5:17", REMOVE)],
            id="unheard of",
        ),
        pytest.param(
            "  strata:\n    Orders:\n      createOrder:\n        response: nonsense",
            [("babelreg.yaml:6:19", REMOVE)],
            id="not a URN",
        ),
        pytest.param("  phpmq: {queues: {Foo: urn:babel:orders:broken}}", [], id="its file is broken"),
    ],
)
def test_a_mapped_urn_is_declared(wires: str, found: list[tuple[str, str]], findings: Lint) -> None:
    reported = findings(f"{FILES}{wires}\n", "wire-urn-unknown")
    assert [(str(f.place), f.fix) for f in reported] == found
