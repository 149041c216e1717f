"""Every rule's page is laid out, is right about itself, and every rule is reachable."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from message_versions import shown

from babelreg.breaking.rules import (
    CONTRACT,
    EXPECTATION_BROKEN,
    EXPECTATION_REMOVED,
    NAMING,
    NOTING,
    PAGES,
    REPLACED,
    SEVERITIES,
    UNKNOWN,
    WAIVABLE,
    WAIVING,
)
from babelreg.finding import Finding, Severity
from babelreg.lint.manual.catalog import parse_page


@pytest.mark.parametrize("rule", PAGES)
def test_the_bad_block_is_reported(rule: str, breaks: Callable[..., list[Finding]]) -> None:
    versions, more = shown(parse_page(PAGES[rule]).bad)
    assert rule in {found.rule for found in breaks(*versions, **more)}


@pytest.mark.parametrize("rule", PAGES)
def test_the_good_block_breaks_nothing(rule: str, breaks: Callable[..., list[Finding]]) -> None:
    versions, more = shown(parse_page(PAGES[rule]).good)
    assert breaks(*versions, **more) == []


@pytest.mark.parametrize("rule", PAGES)
def test_the_page_says_what_to_do(rule: str) -> None:
    fix = parse_page(PAGES[rule]).fix
    assert fix
    assert all(20 <= len(paragraph) <= 500 and paragraph.endswith(".") for paragraph in fix)


def test_the_tables_hold_every_rule_once() -> None:
    assert not CONTRACT.keys() & NAMING.keys()
    assert not NOTING.keys() & {*CONTRACT, *NAMING}
    assert set(SEVERITIES) == set(PAGES) == {*WAIVABLE, *WAIVING}
    assert {*CONTRACT, *NAMING, *NOTING, EXPECTATION_BROKEN, EXPECTATION_REMOVED, REPLACED, UNKNOWN} == WAIVABLE
    assert not WAIVABLE & WAIVING.keys()


def test_what_is_only_worth_a_look_fails_no_build() -> None:
    assert {SEVERITIES[rule] for rule in NOTING} == {Severity.INFO}


def test_the_contract_rules_are_the_closed_list() -> None:
    assert set(CONTRACT) == {
        "property-removed",
        "property-renamed",
        "urn-removed",
        "alias-removed",
        "kind-changed",
        "status-backward",
        "sensitivity-removed",
        "unit-changed",
        "spark-type-changed",
    }
