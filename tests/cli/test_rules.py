from __future__ import annotations

import json

from click.testing import CliRunner

from babelreg.cli.rules import command
from babelreg.lint import ENTRIES


def test_every_rule_is_one_line() -> None:
    done = CliRunner().invoke(command, [])
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(ENTRIES)
    assert {line.split()[1] for line in lines} == {"error", "warning"}


def test_json_has_the_same() -> None:
    done = CliRunner().invoke(command, ["--format", "json"])
    listed = json.loads(done.stdout)
    assert [entry["rule"] for entry in listed] == list(ENTRIES)
    assert all(set(entry) == {"rule", "severity", "summary"} for entry in listed)
