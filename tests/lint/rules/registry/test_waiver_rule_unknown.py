from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "rule, fix",
    [
        pytest.param("money-as-float", None, id="a rule"),
        pytest.param("money-float", "did you mean 'money-as-float'?", id="misspelt"),
        pytest.param("all", "remove this waiver; `babelreg rules` lists the rules", id="all rules"),
        pytest.param("'*'", "remove this waiver; `babelreg rules` lists the rules", id="a wildcard"),
        pytest.param("yaml-syntax", "fix it, and remove this waiver", id="a defect"),
        pytest.param("waiver-unused", "fix it, and remove this waiver", id="a rule about waivers"),
    ],
)
def test_waiver_rule_unknown(rule: str, fix: str | None, findings: Lint) -> None:
    block = (
        "urn: urn:babel:orders:created\n"
        f"description: d # babelreg: allow {rule} -- as it came\n"
        "# file: babelreg.yaml\nversion: 1\nlint:\n  waivers:\n"
        f"  - rule: {rule}\n    urn: urn:babel:orders:created\n    reason: as it came\n"
    )
    found = findings(block, "waiver-rule-unknown")
    expected = [("babelreg.yaml:4:11", fix), ("orders/created.yaml:2:16", fix)]
    assert [(str(f.place), f.fix) for f in found] == (expected if fix else [])
