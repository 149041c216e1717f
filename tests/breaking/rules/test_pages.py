"""Every rule's page is laid out, is right about itself, and every rule is reachable."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from babelreg.breaking.rules import CONTRACT, NAMING, NOTING, PAGES, SEVERITIES, UNKNOWN
from babelreg.finding import Finding, Severity
from babelreg.lint.page import parse

GONE = "(the file is gone)"


def versions(block: str) -> tuple[str, str | None]:
    before, after = re.fullmatch(r"# before\n(.*)# after\n(.*)", block, re.DOTALL).groups()  # type: ignore[union-attr]
    return before, None if after.strip() == GONE else after


@pytest.mark.parametrize("rule", PAGES)
def test_the_bad_block_is_reported(rule: str, breaks: Callable[..., list[Finding]]) -> None:
    page = parse(PAGES[rule])
    assert rule in {found.rule for found in breaks(*versions(page.bad))}


@pytest.mark.parametrize("rule", PAGES)
def test_the_good_block_breaks_nothing(rule: str, breaks: Callable[..., list[Finding]]) -> None:
    assert breaks(*versions(parse(PAGES[rule]).good)) == []


@pytest.mark.parametrize("rule", PAGES)
def test_the_page_says_what_to_do(rule: str) -> None:
    fix = parse(PAGES[rule]).fix
    assert fix
    assert all(20 <= len(paragraph) <= 500 and paragraph.endswith(".") for paragraph in fix)


def test_the_tables_hold_every_rule_once() -> None:
    assert not CONTRACT.keys() & NAMING.keys()
    assert not NOTING.keys() & {*CONTRACT, *NAMING}
    assert set(SEVERITIES) == set(PAGES) == {*CONTRACT, *NAMING, *NOTING, UNKNOWN}


def test_what_is_only_worth_a_look_fails_no_build() -> None:
    assert {SEVERITIES[rule] for rule in NOTING} == {Severity.INFO}


def test_the_contract_rules_are_the_closed_list() -> None:
    assert set(CONTRACT) == {
        "property-removed",
        "property-renamed",
        "urn-removed",
        "kind-changed",
        "status-backward",
        "sensitivity-removed",
        "unit-changed",
        "spark-type-changed",
    }
