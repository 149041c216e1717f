from __future__ import annotations

from dataclasses import replace

import pytest

from babelreg.finding import Finding, Place, Severity
from babelreg.report.fingerprint import fingerprints
from babelreg.report.style_table import STYLES

ONE = Finding("r", Severity.ERROR, "m", Place("a.yaml", 3, 4), pointer="/data", fix="f")


@pytest.mark.parametrize(
    "other, same",
    [
        pytest.param(replace(ONE, place=Place("a.yaml", 30, 1)), True, id="lines moved"),
        pytest.param(replace(ONE, severity=Severity.INFO), True, id="another severity was set"),
        pytest.param(replace(ONE, fix="g"), True, id="the way out is worded anew"),
        pytest.param(replace(ONE, rule="s"), False, id="another rule"),
        pytest.param(replace(ONE, place=Place("b.yaml", 3, 4)), False, id="another file"),
        pytest.param(replace(ONE, pointer="/data/x"), False, id="another pointer"),
        pytest.param(replace(ONE, message="n"), False, id="another message"),
        pytest.param(replace(ONE, direction="forward"), False, id="another direction"),
    ],
)
def test_what_makes_two_findings_one(other: Finding, same: bool) -> None:
    assert (fingerprints([ONE]) == fingerprints([other])) is same


def test_findings_alike_are_told_apart_and_the_first_stays_what_it_was() -> None:
    twice = fingerprints([ONE, ONE])
    assert twice[0] != twice[1]
    assert twice[0] == fingerprints([ONE])[0]


@pytest.mark.parametrize("style", ["json", "jsonl", "junit", "sarif", "gitlab"])
def test_every_style_for_programs_has_the_same_identifiers(style: str) -> None:
    findings = [ONE, ONE, replace(ONE, rule="s")]
    text = STYLES[style].render(findings)
    assert all(key in text for key in fingerprints(findings))
