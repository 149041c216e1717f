from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "rule, fix",
    [
        pytest.param("event-not-past-tense", None, id="a rule"),
        pytest.param("event-not-past", "did you mean 'event-not-past-tense'?", id="misspelt"),
        pytest.param("zzz", "remove this line; `babelreg rules` lists the rules", id="unheard of"),
        pytest.param("yaml-syntax", "remove this line", id="a defect"),
    ],
)
def test_lint_rule_unknown(rule: str, fix: str | None, findings: Lint) -> None:
    block = f"# file: babelreg.yaml\nversion: 1\nlint:\n  rules:\n    {rule}: off\n"
    found = findings(block, "lint-rule-unknown")
    assert [(str(f.place), f.fix) for f in found] == ([("babelreg.yaml:4:5", fix)] if fix else [])


def test_the_rules_of_a_path_are_looked_at_too(findings: Lint) -> None:
    block = "# file: babelreg.yaml\nversion: 1\nlint:\n  paths:\n  - path: babelreg.yaml\n    rules: {zzz: off}\n"
    assert [str(f.place) for f in findings(block, "lint-rule-unknown")] == ["babelreg.yaml:5:13"]
