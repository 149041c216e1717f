"""A mapped name fits its wire."""

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
        pytest.param(f"  phpmq: {{queues: {{'a b': {URN}}}}}", [], id="a queue with a blank"),
        pytest.param(f"  phpmq: {{queues: {{'': {URN}}}}}", ["babelreg.yaml:3:20"], id="an empty queue"),
        pytest.param(f"  flowlayer: {{commands: {{'': {URN}}}}}", ["babelreg.yaml:3:26"], id="an empty command"),
        pytest.param(f"  strata: {{'': {{x: {{request: {URN}}}}}}}", ["babelreg.yaml:3:21"], id="an empty context"),
        pytest.param(
            f"  phpmq:\n    queues:\n      ? {'é' * 32_768}\n      : {URN}",
            ["babelreg.yaml:5:9"],
            id="beyond 65535 bytes",
        ),
        pytest.param(f"  phpmq:\n    queues:\n      ? {'q' * 65_535}\n      : {URN}", [], id="65535 bytes"),
    ],
)
def test_a_mapped_name_fits_its_wire(wires: str, found: list[str], findings: Lint) -> None:
    assert [str(f.place) for f in findings(f"{FILES}{wires}\n", "wire-name-invalid")] == found
