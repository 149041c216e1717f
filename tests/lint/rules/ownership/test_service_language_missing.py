from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "text, found",
    [
        pytest.param("owner: team-a\n", True, id="no language"),
        pytest.param("owner: team-a\nlang: go\n", False, id="a language"),
        pytest.param("owner: team-a\nlang: ruby\n", False, id="one that there is not"),
    ],
)
def test_service_language_missing(text: str, found: bool, findings: Lint) -> None:
    reported = findings(f"# file: _services/crm.yaml\n{text}", "service-language-missing")
    assert [f.fix for f in reported] == (["lang: php | go | python | java | dotnet | node"] if found else [])
