"""A threshold is for a declared URN."""

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
spark:
"""


@pytest.mark.parametrize(
    "spark, expected",
    [
        pytest.param("  fail_above: {total: 5%, each: 9%, urn:babel:orders:created: 1%}", [], id="declared"),
        pytest.param("  fail_above: 5%", [], id="a share of all messages"),
        pytest.param(
            "  fail_above: {urn:babel:orders:creatd: 1%}",
            [("babelreg.yaml:3:16", "did you mean 'urn:babel:orders:created'?")],
            id="misspelt",
        ),
        pytest.param(
            "  hold_above:\n    total: 5%\n    urn:babel:zoo:fed: 1%",
            [("babelreg.yaml:5:5", "remove the entry, or declare the message")],
            id="unheard of",
        ),
        pytest.param("  hold_above: {urn:babel:orders:broken: 1%}", [], id="its file is broken"),
    ],
)
def test_a_threshold_is_for_a_declared_urn(spark: str, expected: list[tuple[str, str]], findings: Lint) -> None:
    reported = findings(f"{FILES}{spark}\n", "threshold-urn-unknown")
    assert [(str(f.place), f.fix) for f in reported] == expected
