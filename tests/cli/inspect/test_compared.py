"""``babelreg diff`` in a git repository."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def registry(tmp_path, monkeypatch):
    """A repository with the example registry, and an edit that breaks and one that does not."""
    shutil.copytree(ROOT / "registry.example", tmp_path / "registry")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "First"]):
        subprocess.run([*git, *command], check=True)
    monkeypatch.chdir(tmp_path)
    created, cancelled = (tmp_path / "registry" / "orders" / name for name in ("created.v2.yaml", "cancelled.yaml"))
    created.write_text(created.read_text().replace("required: [order_id, total]", "required: [order_id, total, email]"))
    cancelled.write_text(cancelled.read_text().replace("owner: team-orders", "owner: team_<x>"))
    return tmp_path / "registry"


def test_diff_tells_what_changed_and_what_breaks(run):
    code, out, err = run("diff")
    assert code == 0
    assert out.splitlines() == [
        "urn:babel:orders:cancelled",
        "  the owner is now team_<x>, was team-orders",
        "",
        "urn:babel:orders:created.v2",
        "  email became required",
        "  breaking: property 'email' became required [property-required]",
    ]
    assert "\ncompared with " in err


def test_diff_of_one_message_leaves_the_others_out(run):
    rows = json.loads(run("diff", "orders:cancelled", "--format", "json")[1])
    assert [row["urn"] for row in rows] == ["urn:babel:orders:cancelled"]


def test_diff_without_a_change_says_so(run):
    code, out, err = run("diff", "customers:registered")
    assert (code, out) == (0, "")
    assert "nothing changed in urn:babel:customers:registered" in err


@pytest.mark.parametrize(
    "urn, message, fix",
    [
        pytest.param("HEAD~0", "'HEAD~0'", "babelreg diff --against 'HEAD~0'", id="a revision"),
        pytest.param("main", "'main'", "babelreg diff --against main", id="a branch"),
        pytest.param("registry", "'registry'", "babelreg diff --against registry", id="a folder"),
        pytest.param("orders:creatd", "'urn:babel:orders:creatd'", "did you mean `babelreg diff urn:babel:orders:created`?", id="a typing error"),
        pytest.param("urn:babel:zzzzzzzz:qqqqqqqqqqqqqqqqqqqqqqqqqqq", "'urn:babel:zzzz", "`babelreg list` lists the messages", id="nothing like it"),
    ],
)  # fmt: skip
def test_diff_refuses_what_neither_side_declares(run, urn, message, fix):
    code, out, err = run("diff", urn)
    assert (code, out) == (2, "")
    assert f"error: neither side declares a message {message}" in err
    assert f"\n  fix: {fix}\n" in err


def test_diff_of_a_message_that_only_one_side_declares(run, registry):
    (registry / "orders" / "cancelled.yaml").unlink()
    code, out, _ = run("diff", "orders:cancelled")
    assert (code, out.splitlines()[0]) == (0, "urn:babel:orders:cancelled (removed)")


def test_a_diff_as_markdown_has_no_markup_of_the_registry(run):
    assert run("diff", "--format", "markdown", "--title", "Messages 1.5")[1].splitlines() == [
        "## Messages 1.5",
        "",
        "### Breaking changes",
        "",
        "- `urn:babel:orders:created.v2`",
        "  - **property 'email' became required**",
        "  - email became required",
        "",
        "### Changes",
        "",
        "- `urn:babel:orders:cancelled`",
        r"  - the owner is now team\_\<x\>, was team-orders",
    ]


def test_a_title_needs_markdown(run):
    code, _, err = run("diff", "--title", "Messages 1.5")
    assert (code, "fix: add --format markdown" in err) == (2, True)


def test_the_earlier_command_names_the_line_to_paste(run):
    code, out, err = run("changelog", "--against", "v1.4", "--title", "Messages 1.5")
    assert (code, out) == (2, "")
    assert "`babelreg changelog` is `babelreg diff --format markdown` now" in err
    assert "  fix: babelreg diff --format markdown --against v1.4 --title 'Messages 1.5'\n" in err
