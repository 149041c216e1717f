from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "supersedes, fix",
    [
        pytest.param("urn:babel:orders:created", None, id="the version before"),
        pytest.param("urn:babel:orders:creatd", "supersedes: urn:babel:orders:created", id="misspelt"),
        pytest.param("urn:babel:orders:created.v2", "supersedes: urn:babel:orders:created", id="itself"),
        pytest.param("urn:babel:zoo:fed", "remove 'supersedes', or declare the message that it names", id="unheard of"),
    ],
)
def test_supersedes_unknown(supersedes: str, fix: str | None, findings: Lint) -> None:
    block = f"""\
# file: orders/created.yaml
urn: urn:babel:orders:created
# file: orders/created.v2.yaml
urn: urn:babel:orders:created.v2
supersedes: {supersedes}
"""
    assert [(f.place.line, f.fix) for f in findings(block, "supersedes-unknown")] == ([(2, fix)] if fix else [])
