from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]

TOMBSTONE = "urn: urn:babel:orders:created\nstatus: retired\nretired_on: 2026-01-31\n"


@pytest.mark.parametrize(
    "lines, fix",
    [
        pytest.param("", None, id="as it should be"),
        pytest.param("description: Said what placed says now.\nowner: team-a\nkind: event\n", None, id="words remain"),
        pytest.param("data: {type: object}\n", "remove data", id="a schema"),
        pytest.param("data: {type: object}\nexamples: [{}]\n", "remove data, examples", id="a schema and examples"),
        pytest.param("upcast: [{drop: a}]\n", "remove upcast", id="an upcast"),
        pytest.param("examples: []\n", None, id="a list of no examples"),
    ],
)
def test_tombstone_with_data(lines: str, fix: str | None, findings: Lint) -> None:
    assert [f.fix for f in findings(TOMBSTONE + lines, "tombstone-with-data")] == ([fix] if fix else [])


def test_a_living_message_needs_its_data(findings: Lint) -> None:
    assert findings("urn: urn:babel:orders:created\nexamples: [{}]\n", "tombstone-with-data") == []
