from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "lines, found",
    [
        pytest.param("status: draft\nconsumers: [billing-worker]\n", True, id="by another team"),
        pytest.param("status: draft\nowner: team-billing\nconsumers: [billing-worker]\n", False, id="by its own team"),
        pytest.param("status: draft\n", False, id="by nobody"),
        pytest.param("status: draft\nconsumers: [unheard-of]\n", False, id="by an unknown service"),
        pytest.param("status: active\nconsumers: [billing-worker]\n", False, id="an active message"),
    ],
)
def test_draft_consumed(lines: str, found: bool, findings: Lint) -> None:
    reported = findings(f"urn: urn:babel:orders:created\n{lines}", "draft-consumed")
    assert [f.place.line for f in reported] == ([2] if found else [])
