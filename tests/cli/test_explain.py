from __future__ import annotations

import pytest
from click.testing import CliRunner
from each import each

from babelreg.cli.explain import command
from babelreg.cli.manual.rule_catalog import entries
from babelreg.errors import UsageError

GOLDEN = """\
urn-uppercase (error, reported by babelreg lint)
family urn, in every profile

A URN with upper-case letters.

URNs are compared byte for byte: `urn:babel:Orders:created` and
`urn:babel:orders:created` are two messages to a consumer and one to a human
reader. Capitals also cause collisions on case-insensitive file systems.

Bad:

    urn: urn:babel:orders:Created

Good:

    urn: urn:babel:orders:created
"""
CONFIGURE = """\

Configure:

To change its severity or switch it off, in babelreg.yaml:

    lint:
      rules:
        urn-uppercase: off  # error, warning, info or off

For some of the files:

    lint:
      paths:
        - path: orders/  # a folder, a file, or a pattern such as *.v1.yaml
          rules: {urn-uppercase: off}

For one finding, a comment on its line or directly above it:

    # babelreg: allow urn-uppercase until 2027-03-31 -- why it is acceptable here

`babelreg lint --format waivers` prints an entry of the settings for each
finding.
"""


def test_the_page() -> None:
    page = CliRunner().invoke(command, ["urn-uppercase"]).stdout
    assert page.startswith(GOLDEN + "\nFix:\n\n")
    assert page.endswith(CONFIGURE)


def test_a_rule_may_be_pasted_with_its_brackets() -> None:
    assert CliRunner().invoke(command, ["[urn-uppercase]"]).stdout.startswith(GOLDEN)


@pytest.mark.parametrize(
    "rule, last",
    [
        pytest.param("yaml-syntax", "depend on\nthe file.", id="a defect"),
        pytest.param("waiver-unused", "It cannot be waived, because it is about waivers.", id="a rule about waivers"),
        pytest.param("unit-changed", None, id="a rule of breaking, which lint's settings say nothing of"),
    ],
)
def test_what_cannot_be_configured_says_so(rule: str, last: str | None) -> None:
    page = CliRunner().invoke(command, [rule]).stdout
    assert ("Configure:" in page) == (last is not None)
    assert last is None or page.rstrip().endswith(last)


@pytest.mark.parametrize(
    "rule, said",
    [
        pytest.param("unit-changed", True, id="a rule of breaking"),
        pytest.param("containment-unknown", True, id="what could not be decided"),
        pytest.param("breaking-waiver-unused", False, id="a rule about waivers of it"),
        pytest.param("urn-uppercase", False, id="a rule of lint"),
    ],
)
def test_how_a_break_is_accepted(rule: str, said: bool) -> None:
    page = CliRunner().invoke(command, [rule]).stdout
    assert ("\nAccept:\n\n`babelreg breaking --format waivers` prints" in page) == said


@each("rule", entries())
def test_prose_fits_eighty_columns(rule: str) -> None:
    lines = CliRunner().invoke(command, [rule]).stdout.splitlines()
    assert all(len(line) <= 80 for line in lines if not line.startswith("    "))


@pytest.mark.parametrize(
    "rule, fix",
    [
        ("urn-upercase", "babelreg explain urn-uppercase"),
        ("zzz", "`babelreg rules` lists rules, `babelreg rules --family reasons` reasons"),
    ],
)
def test_an_unknown_rule_shows_a_way_out(rule: str, fix: str) -> None:
    error = CliRunner().invoke(command, [rule]).exception
    assert isinstance(error, UsageError)
    assert error.fix == fix
