"""Ids of rules that registries may name: in comments, waivers, settings and on the command line. They stay valid.

``data/rule_ids.txt`` has the ids; a new rule is a new line, and none is removed. A rule with a better name keeps its old id
valid, too.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from babelreg.cli.lint import command
from babelreg.finding import Finding
from babelreg.lint.rules import RULES
from babelreg.lint.waivers import UNWAIVABLE

Lint = Callable[..., list[Finding]]

IDS = (Path(__file__).parent / "data/rule_ids.txt").read_text("utf-8").split()
WAIVED = [rule for rule in IDS if rule not in UNWAIVABLE]


def _settings(lines: list[str]) -> str:
    return "# file: babelreg.yaml\nversion: 1\nlint:\n" + "".join(f"  {line}\n" for line in lines)


@pytest.mark.parametrize(
    "files, complaint",
    [
        pytest.param("".join(f"# babelreg: allow {rule} -- as it came\n" for rule in WAIVED), "waiver-rule-unknown",
                     id="comments"),
        pytest.param(_settings(["waivers:", *(f"- {{rule: {rule}, path: orders/created.yaml, reason: as it came}}"
                                              for rule in WAIVED)]), "waiver-rule-unknown", id="waivers of the settings"),
        pytest.param(_settings(["rules:", *(f"  {rule}: warning" for rule in IDS)]), "lint-rule-unknown",
                     id="severities of the settings"),
    ],
)  # fmt: skip
def test_no_id_of_before_is_unknown(files: str, complaint: str, findings: Lint) -> None:
    assert len(WAIVED) > 90
    message = "" if files.startswith("# babelreg") else "# file: orders/created.yaml\n"
    text = f"{files}{message}urn: urn:babel:orders:created\n"
    assert findings(text, complaint) == []
    wrong = text.replace("money-as-float", "money-as-fload")
    assert len(findings(wrong, complaint)) == 1


def test_the_command_line_takes_each_of_them(tmp_path: Path) -> None:
    (tmp_path / "babelreg.yaml").write_text("version: 1\n")
    options = [word for rule in IDS for word in ("--ignore", rule)]
    result = CliRunner().invoke(command, ["--registry", str(tmp_path), *options])
    assert result.exit_code == 0, result.output


def test_every_rule_has_its_line() -> None:
    assert sorted(RULES) == [rule for rule in IDS if rule in RULES], "add the id of the new rule to data/rule_ids.txt"
