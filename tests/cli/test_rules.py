from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from babelreg.analysis.drift.rules import PAGES as DRIFT
from babelreg.breaking.rules import PAGES
from babelreg.cli.manual.check_pages import CHECKS as FIXED_CHECKS
from babelreg.cli.manual.import_pages import IMPORT_CHECKS
from babelreg.cli.manual.rule_catalog import entries
from babelreg.cli.rules import FAMILY_NAMES, command
from babelreg.lint.manual.catalog import ENTRIES
from babelreg.lint.rule import FAMILIES
from babelreg.scan.rules import PAGES as SCANNED

CHECKS = {**FIXED_CHECKS, **IMPORT_CHECKS}


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No registry at hand."""
    monkeypatch.chdir(tmp_path)


def rows(*arguments: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(CliRunner().invoke(command, [*arguments, "--format", "json"]).stdout)
    return found


def test_every_rule_is_one_line_below_its_family() -> None:
    lines = CliRunner().invoke(command, []).stdout.splitlines()
    listed = [line.split() for line in lines if line.startswith("  ")]
    assert sorted(words[0] for words in listed) == sorted([*ENTRIES, *PAGES, *SCANNED, *DRIFT, *CHECKS])
    assert {words[1] for words in listed} <= {"error", "warning", "info", "off"}
    families = {entry.family or "files" for entry in ENTRIES.values()}
    heads = [line for line in lines if not line.startswith("  ")]
    assert sorted(heads) == sorted(
        [
            *(f"babelreg lint: {family}" for family in families),
            "babelreg breaking",
            "babelreg scan",
            "babelreg drift",
            "babelreg gen",
            "babelreg format",
            "babelreg import",
        ]
    )


def test_no_rule_of_one_command_has_the_name_of_another() -> None:
    assert len(entries()) == len(ENTRIES) + len(PAGES) + len(SCANNED) + len(DRIFT) + len(CHECKS)


def test_json_has_the_same() -> None:
    listed = rows()
    assert [entry["rule"] for entry in listed] == [*ENTRIES, *PAGES, *SCANNED, *DRIFT, *CHECKS]
    keys = {"rule", "command", "family", "profile", "severity", "in_force", "summary"}
    assert all(set(entry) == keys for entry in listed)


def test_without_a_registry_it_is_the_standard_profile() -> None:
    assert {row["profile"] for row in rows() if row["in_force"] == "off"} == {"strict"}


def test_a_profile_lists_what_is_in_force_with_it() -> None:
    found = {
        profile: {row["rule"] for row in rows("--profile", profile)} for profile in ("minimal", "standard", "strict")
    }
    assert found["minimal"] < found["standard"] < found["strict"] == set(ENTRIES)


def test_a_family_is_listed_alone() -> None:
    assert FAMILY_NAMES == FAMILIES
    assert {row["family"] for row in rows("--family", "urn")} == {"urn"}


def test_the_settings_of_the_registry_at_hand_count(tmp_path: Path) -> None:
    settings = (
        "version: 1\nlint: {profile: minimal, rules: {urn-syntax: info, money-as-float: error, urn-uppercase: off}}\n"
    )
    (tmp_path / "babelreg.yaml").write_text(settings, "utf-8")
    said = {row["rule"]: row["in_force"] for row in rows()}
    picked = ["urn-syntax", "money-as-float", "urn-uppercase", "urn-duplicate", "event-not-past-tense", "yaml-syntax"]
    assert [said[rule] for rule in picked] == ["info", "error", "off", "error", "off", "error"]
    assert "minimal and babelreg.yaml" in CliRunner().invoke(command, []).stderr
