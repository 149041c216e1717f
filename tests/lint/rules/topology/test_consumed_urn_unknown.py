from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "urn, fix",
    [
        pytest.param("urn:babel:orders:created", None, id="declared"),
        pytest.param("urn:babel:orders:creatd", "urn: urn:babel:orders:created", id="misspelt"),
        pytest.param("urn:babel:zoo:fed", "remove it here, or declare the message", id="unheard of"),
        pytest.param("urn:babel:orders:broken", None, id="its file is broken"),
    ],
)
def test_consumed_urn_unknown(urn: str, fix: str | None, findings: Lint) -> None:
    block = f"""\
# file: orders/created.yaml
urn: urn:babel:orders:created
# file: orders/broken.yaml
urn: [
# file: _services/zoo.yaml
consumes:
  - urn: {urn}
"""
    assert [f.fix for f in findings(block, "consumed-urn-unknown")] == ([fix] if fix else [])
