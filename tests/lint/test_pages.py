"""Every page of the manual keeps what it promises: its Bad block is reported, its Good block is not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from each import each

from babelreg.finding import Finding, Severity
from babelreg.lint.defects import PAGES
from babelreg.lint.manual.catalog import ENTRIES
from babelreg.lint.rule import FAMILIES, PROFILES, family_of
from babelreg.lint.rules import RULES
from babelreg.load.files.defect import DEFECTS

Lint = Callable[..., list[Finding]]


@each("rule", ENTRIES)
def test_the_bad_block_is_reported_with_a_way_out(rule: str, findings: Lint) -> None:
    found = findings(ENTRIES[rule].page.bad, rule)
    assert found
    assert all(f.message and f.fix and f.place.path for f in found)


@each("rule", ENTRIES)
def test_the_good_block_is_clean(rule: str, findings: Lint) -> None:
    assert findings(ENTRIES[rule].page.good) == []
    assert findings(ENTRIES[rule].page.good, rule) == []  # in the strict profile too


@each("rule", ENTRIES)
def test_a_page_says_how_to_mend_it(rule: str) -> None:
    fix = ENTRIES[rule].page.fix
    assert fix
    assert all(20 <= len(paragraph) <= 500 and paragraph.endswith(".") for paragraph in fix)


@each("rule", RULES)
def test_a_rule_is_sorted_in(rule: str) -> None:
    module = RULES[rule]
    assert isinstance(module.severity, Severity)
    assert family_of(module) in FAMILIES
    assert module.profile in PROFILES


def test_every_defect_of_load_has_a_page() -> None:
    assert set(PAGES) == set(DEFECTS)


def test_a_rule_is_named_like_its_module() -> None:
    assert {rule.replace("-", "_") for rule in RULES} == {
        module.__name__.rpartition(".")[2] for module in RULES.values()
    }


@each("rule", ENTRIES)
def test_a_page_fits_a_terminal(rule: str) -> None:
    page = ENTRIES[rule].page
    assert len(page.summary) <= 80
    assert page.summary.endswith(".")
    assert all(len(line) <= 96 for line in (page.bad + page.good).splitlines())
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule)


def test_every_rule_has_a_test_of_its_own() -> None:
    tests = {path.stem for path in (Path(__file__).parent / "rules").rglob("test_*.py")}
    assert tests == {f"test_{rule.replace('-', '_')}" for rule in RULES}
