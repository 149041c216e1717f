"""What `babelreg explain` offers to paste does what it says."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from each import each

from babelreg import lint
from babelreg.finding import Finding
from babelreg.lint.manual.catalog import ENTRIES
from babelreg.lint.manual.configuration_help import configuration_help
from babelreg.lint.rules import RULES
from babelreg.lint.waivers import UNWAIVABLE
from babelreg.model import Registry

Load = Callable[[str], Registry]
Lint = Callable[..., list[Finding]]


@each("rule", RULES)
def test_the_settings_can_be_pasted(rule: str, registry: Load) -> None:
    for block in (block for _, block in configuration_help(ENTRIES[rule]) if block.startswith("lint:")):
        opened = registry(
            f"# file: babelreg.yaml\nversion: 1\n{block}# file: orders/paid.yaml\nurn: urn:babel:orders:paid\n"
        )
        assert [f for f in lint.run(opened) if f.place.path == "babelreg.yaml"] == []


@each("rule", sorted(set(RULES) - UNWAIVABLE))
def test_the_comment_can_be_pasted(rule: str, findings: Lint) -> None:
    (comment,) = (block for _, block in configuration_help(ENTRIES[rule]) if block.startswith("#"))
    found = [f.rule for f in findings(f"{comment}urn: urn:babel:orders:created\n")]
    assert found in (["waiver-unused"], [])


@pytest.mark.parametrize("rule", sorted(set(ENTRIES) - set(RULES)))
def test_a_defect_offers_nothing_to_paste(rule: str) -> None:
    assert [block for _, block in configuration_help(ENTRIES[rule])] == [""]
