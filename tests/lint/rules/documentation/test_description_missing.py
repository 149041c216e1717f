from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from babelreg import lint
from babelreg.finding import Finding
from babelreg.model import Registry

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "lines, found",
    [
        pytest.param("description: ''\n", True, id="empty"),
        pytest.param("description: '  '\n", True, id="blank"),
        pytest.param("description: An order was accepted.\n", False, id="described"),
        pytest.param("status: draft\ndescription: ''\n", False, id="a draft"),
        pytest.param("status: deprecated\ndescription: ''\n", True, id="deprecated"),
        pytest.param("status: retired\nretired_on: 2026-01-31\n", False, id="a tombstone"),
    ],
)
def test_description_missing(lines: str, found: bool, findings: Lint) -> None:
    reported = findings(f"urn: urn:babel:orders:created\n{lines}", "description-missing")
    assert [f.urn for f in reported] == (["urn:babel:orders:created"] if found else [])


def test_a_description_that_is_not_there(registry: Callable[[str], Registry]) -> None:
    held = registry("urn: urn:babel:orders:created\n")
    bare = replace(held, messages=tuple(replace(m, description=None) for m in held.messages))
    assert [f.rule for f in lint.run(bare)] == ["description-missing"]
