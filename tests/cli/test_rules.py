from __future__ import annotations

import json

from click.testing import CliRunner

from babelreg.breaking.rules import PAGES
from babelreg.cli.manual import entries
from babelreg.cli.rules import command
from babelreg.lint.manual import ENTRIES


def test_every_rule_is_one_line_below_its_command() -> None:
    lines = CliRunner().invoke(command, []).stdout.splitlines()
    listed = [line.split() for line in lines if line.startswith("  ")]
    assert [words[0] for words in listed] == [*ENTRIES, *PAGES]
    assert {words[1] for words in listed} <= {"error", "warning", "info"}
    assert [line for line in lines if not line.startswith("  ")] == ["babelreg lint", "babelreg breaking"]


def test_no_rule_of_one_command_has_the_name_of_another() -> None:
    assert len(entries()) == len(ENTRIES) + len(PAGES)


def test_json_has_the_same() -> None:
    listed = json.loads(CliRunner().invoke(command, ["--format", "json"]).stdout)
    assert [entry["rule"] for entry in listed] == [*ENTRIES, *PAGES]
    assert all(set(entry) == {"rule", "command", "severity", "summary"} for entry in listed)
