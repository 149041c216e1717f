from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "text, found",
    [
        pytest.param("examples: []\n", 1, id="an empty list"),
        pytest.param("examples: [{}]\n", 0, id="one"),
        pytest.param("examples: []\nstatus: draft\n", 0, id="a draft"),
        pytest.param("status: retired\nretired_on: 2026-01-31\n", 0, id="a tombstone"),
        pytest.param("examples: {file: nowhere.jsonl}\n", 0, id="a file that is missing is a defect"),
    ],
)
def test_example_missing(text: str, found: int, findings: Lint) -> None:
    assert len(findings(f"urn: urn:babel:orders:created\n{text}", "example-missing")) == found
