"""Accepting what breaks, as a user does it: print, paste, give a reason, and be told when it lapses."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import commands
import pytest

OLD = """\
urn: urn:babel:orders:created
kind: event
producers: [orders-api]
data:
  type: object
  properties:
    order_id: {type: integer}
"""
NEW = OLD.replace("  properties:", "  required: [order_id]\n  properties:")
PRINTED = """\
breaking:
  waivers:
    - rule: property-required
      urn: urn:babel:orders:created
      pointer: "/data/required"
      change: de27b84ab793
      reason: "TODO: say why"
"""
WAIVED = "version: 1\n" + PRINTED.replace("TODO: say why", "every producer sends it since 2024")
TOML = """\
[[tool.babelreg.breaking.waivers]]
rule = "property-required"
urn = "urn:babel:orders:created"
pointer = "/data/required"
change = "de27b84ab793"
reason = "every producer sends it since 2024"
"""


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def breaking(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = commands.run("breaking", *arguments, at=folder)
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A registry with an edit that breaks, not committed yet."""
    root = tmp_path / "registry"
    for path, text in {
        "babelreg.yaml": "version: 1\n",
        "orders/_context.yaml": "owner: team-orders\n",
        "orders/created.yaml": OLD,
        "_services/orders-api.yaml": "owner: team-orders\nlang: php\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "one")
    (root / "orders/created.yaml").write_text(NEW)
    return root


def last(done: subprocess.CompletedProcess[str]) -> str:
    return done.stderr.splitlines()[-1]


def test_what_is_printed_can_be_pasted_and_needs_a_reason(folder: Path) -> None:
    assert breaking(folder, "--format", "waivers").stdout == PRINTED
    (folder / "babelreg.yaml").write_text("version: 1\n" + PRINTED)
    done = breaking(folder)
    assert done.returncode == 1
    refused = "babelreg.yaml:8:15: error: 'TODO: say why' is a placeholder, not a reason [breaking-waiver-invalid]\n"
    assert done.stdout.startswith(refused)
    assert "[property-required]" in done.stdout


def test_a_waived_break_leaves_report_and_exit_code_and_is_counted(folder: Path) -> None:
    (folder / "babelreg.yaml").write_text(WAIVED)
    done = breaking(folder)
    assert (done.returncode, done.stdout) == (0, "")
    assert last(done) == "nothing breaks (1 waived): compared 1 of 1 message"


def test_an_expired_one_is_a_warning_beside_what_it_hid(folder: Path) -> None:
    (folder / "babelreg.yaml").write_text(WAIVED + '      expires: "2026-11-30"\n')
    assert breaking(folder, "--today", "2026-11-30").returncode == 0
    done = breaking(folder, "--today", "2026-12-01")
    assert done.returncode == 1
    assert "babelreg.yaml:4:7: warning: this waiver of 'property-required' was valid until 2026-11-30" in done.stdout
    assert last(done) == "1 error, 1 warning in 2 files: compared 1 of 1 message"


def test_once_published_it_lapses(folder: Path) -> None:
    (folder / "babelreg.yaml").write_text(WAIVED)
    git(folder, "commit", "-qam", "two")
    assert breaking(folder, "--against", "HEAD~1").returncode == 0
    done = breaking(folder, "--against", "HEAD")
    assert done.returncode == 0
    assert "[breaking-waiver-unused]\n  fix: remove this entry\n" in done.stdout
    assert last(done) == "1 warning in 1 file: compared 1 of 1 message"
    assert breaking(folder, "--against", "HEAD", "--fail-on", "warning").returncode == 1


def test_a_report_on_a_part_leaves_waivers_out_and_counts_its_own(folder: Path) -> None:
    (folder / "babelreg.yaml").write_text(WAIVED)
    assert last(breaking(folder, "orders")) == "nothing breaks (1 waived): compared 1 of 1 message"
    assert last(breaking(folder, "_services")) == "compared 0 of 0 messages"


def test_a_pyproject_says_it_as_well_and_is_printed_for(folder: Path) -> None:
    (folder.parent / "pyproject.toml").write_text(TOML)
    assert last(breaking(folder)) == "nothing breaks (1 waived): compared 1 of 1 message"
    (folder.parent / "pyproject.toml").write_text(TOML.replace("de27b84ab793", "000000000000"))
    done = breaking(folder, "--format", "waivers", "--output", "waivers:again.toml")
    assert done.stdout == TOML.replace("every producer sends it since 2024", "TODO: say why")
    assert (folder / "again.toml").read_text() == done.stdout
    assert "../pyproject.toml:1:1: warning: this waiver hides nothing" in breaking(folder).stdout


def test_what_is_waived_is_not_minted(folder: Path) -> None:
    (folder / "babelreg.yaml").write_text(WAIVED)
    done = breaking(folder, "--fix")
    assert (done.returncode, done.stdout) == (0, "")
    assert (folder / "orders/created.yaml").read_text() == NEW


def mint(folder: Path, *arguments: str) -> str:
    done = commands.run("mint", "urn:babel:orders:created", *arguments, at=folder)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_an_edit_that_was_waived_stays_where_it_is_also_when_a_version_is_minted(folder: Path) -> None:
    (folder / "babelreg.yaml").write_text(WAIVED)
    said = mint(folder)
    assert "created.yaml: keeps its edits, because the breaks are waived; to restore it, remove the waiver" in said
    assert (folder / "orders/created.yaml").read_text() == NEW
    assert "supersedes: urn:babel:orders:created" in (folder / "orders/created.v2.yaml").read_text()
    assert last(breaking(folder)) == "nothing breaks (1 waived): compared 1 of 2 messages (1 new)"


@pytest.mark.parametrize(
    "waivers, today",
    [
        pytest.param("version: 1\n", "2026-11-21", id="not waived"),
        pytest.param(WAIVED + '      expires: "2026-11-30"\n', "2026-12-01", id="not any more"),
        pytest.param(WAIVED.replace("de27b84ab793", "000000000000"), "2026-11-21", id="another change is"),
    ],
)
def test_what_is_not_waived_is_put_back(folder: Path, waivers: str, today: str) -> None:
    (folder / "babelreg.yaml").write_text(waivers)
    assert "restored as published; your edit is in orders/created.v2.yaml" in mint(folder, "--today", today)
    assert (folder / "orders/created.yaml").read_text() == OLD


def test_json_names_the_change(folder: Path) -> None:
    assert json.loads(breaking(folder, "--format", "jsonl").stdout)["change"] == "de27b84ab793"


@pytest.mark.parametrize(
    "said, place",
    [
        pytest.param(WAIVED.replace("change:", "chnage:"), "babelreg.yaml:7:7: error: ", id="a misspelt key"),
        pytest.param(WAIVED.replace("de27b84ab793", "de27"), "babelreg.yaml:7:15: error: ", id="no hash"),
        pytest.param(WAIVED.replace("de27b84ab793", "123456789012"), "babelreg.yaml:7:15: error: ", id="a number"),
        pytest.param(WAIVED + "      expires: soon\n", "babelreg.yaml:9:16: error: ", id="no day"),
        pytest.param(WAIVED.replace('"/data/required"', "data"), "babelreg.yaml:6:16: error: ", id="no pointer"),
    ],
)
def test_a_mistake_has_line_and_column_and_a_way_out(folder: Path, said: str, place: str) -> None:
    (folder / "babelreg.yaml").write_text(said)
    done = breaking(folder)
    assert done.returncode == 2
    assert place in done.stderr
