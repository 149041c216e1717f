from __future__ import annotations

import pytest
from click.testing import CliRunner

from babelreg.cli.explain import command
from babelreg.cli.manual import entries
from babelreg.errors import UsageError

GOLDEN = """\
urn-uppercase (error, reported by babelreg lint)

A URN with upper-case letters.

URNs are compared byte for byte: `urn:babel:Orders:created` and
`urn:babel:orders:created` are two messages to a consumer and one to a reader.
Capitals also collide on file systems that do not tell them apart.

Bad:

    urn: urn:babel:orders:Created

Good:

    urn: urn:babel:orders:created
"""


def test_the_page() -> None:
    assert CliRunner().invoke(command, ["urn-uppercase"]).stdout == GOLDEN


def test_a_rule_may_be_pasted_with_its_brackets() -> None:
    assert CliRunner().invoke(command, ["[urn-uppercase]"]).stdout == GOLDEN


@pytest.mark.parametrize("rule", entries())
def test_prose_fits_eighty_columns(rule: str) -> None:
    lines = CliRunner().invoke(command, [rule]).stdout.splitlines()
    assert all(len(line) <= 80 for line in lines if not line.startswith("    "))


@pytest.mark.parametrize(
    "rule, fix", [("urn-upercase", "babelreg explain urn-uppercase"), ("zzz", "`babelreg rules` lists them")]
)
def test_an_unknown_rule_shows_a_way_out(rule: str, fix: str) -> None:
    error = CliRunner().invoke(command, [rule]).exception
    assert isinstance(error, UsageError)
    assert error.fix == fix
