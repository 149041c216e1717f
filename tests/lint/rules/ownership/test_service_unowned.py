from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "text, found",
    [
        pytest.param("lang: go\n", True, id="no owner"),
        pytest.param("owner: team-a\n", False, id="an owner"),
        pytest.param("{}\n", True, id="nothing at all"),
        pytest.param("owner: [team-a]\n", False, id="an owner that cannot be read"),
    ],
)
def test_service_unowned(text: str, found: bool, findings: Lint) -> None:
    reported = findings(f"# file: _services/crm.yaml\n{text}", "service-unowned")
    assert [f.place.path for f in reported] == (["_services/crm.yaml"] if found else [])
