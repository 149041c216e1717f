from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "text, rules",
    [
        pytest.param("owner: team-orders\n", set(), id="an owner"),
        pytest.param("description: Orders.\n", {"context-unowned"}, id="no owner"),
        pytest.param("owner: ''\n", {"value-invalid"}, id="an empty owner is a defect, and reported once"),
    ],
)
def test_context_unowned(text: str, rules: set[str], findings: Lint) -> None:
    block = f"# file: orders/created.yaml\nurn: urn:babel:orders:created\n# file: orders/_context.yaml\n{text}"
    assert {f.rule for f in findings(block)} == rules
