"""``babelreg lint --since``: only the findings that the revision does not have."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

MESSAGE = "orders/created.yaml"
FILES = {
    "babelreg.yaml": "version: 1\n",
    "_services/orders-api.yaml": "owner: team-orders\nlang: go\n",
    "orders/_context.yaml": "owner: team-orders\n",
    MESSAGE: """\
urn: urn:babel:orders:created
kind: event
producers: [orders-api]
data:
  type: object
  properties:
    paid: {enum: [0, 1]}
examples: [{paid: 1}]
description: An order was created.
""",
}
FLAG = "    paid: {enum: [0, 1]}\n"
NEW_FLAG = "    sent: {enum: [0, 1]}\n"
PAID = "urn: urn:babel:orders:paid\nkind: event\nproducers: [orders-api]\ndata: {type: object}\ndescription: Paid.\n"


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registry with one error, committed on main; a branch is checked out."""
    for path, text in FILES.items():
        file = tmp_path / "registry" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    git(tmp_path, "checkout", "-q", "-b", "work")
    return Path("registry")


def edit(registry: Path, old: str, new: str, path: str = MESSAGE) -> None:
    file = registry / path
    file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")


def test_an_old_finding_is_counted_and_not_shown(registry, run):
    assert run("lint")[0] == 1
    code, out, err = run("lint", "--since", "main")
    assert (code, out) == (0, "")
    assert err.endswith("no findings in 1 message; 1 older finding is not shown\n")
    assert "compared with" in err


@pytest.mark.parametrize(
    "old, new, shown",
    [
        pytest.param("urn: urn", "# a line\n# more\nurn: urn", 0, id="moved by lines above it"),
        pytest.param(FLAG, FLAG + NEW_FLAG, 1, id="a second one of the rule"),
        pytest.param(FLAG, NEW_FLAG, 2, id="one instead of another"),
        pytest.param("description: An order was created.\n", "", 1, id="another rule"),
    ],
)
def test_what_is_new(registry, run, old, new, shown):
    edit(registry, old, new)
    assert run("lint", "--since", "main")[1].count(f"{MESSAGE}:") == shown


def test_the_exit_code_follows_what_is_new(registry, run):
    (registry / "orders/paid.yaml").write_text(PAID)
    assert run("lint", "--since", "HEAD")[0] == 0  # a warning
    assert run("lint", "--since", "HEAD", "--fail-on", "warning")[0] == 1
    edit(registry, FLAG, FLAG + NEW_FLAG)
    assert run("lint", "--since", "HEAD")[0] == 1


def test_paths_styles_and_statistics(registry, run):
    (registry / "orders/paid.yaml").write_text(PAID)
    code, out, err = run("lint", "--since", "HEAD", f"registry/{MESSAGE}")
    assert (code, out, err.splitlines()[-1]) == (0, "", "no findings in 1 message; 1 older finding is not shown")
    report = json.loads(run("lint", "--since", "HEAD", "--format", "json")[1])
    assert [finding["rule"] for finding in report["findings"]] == ["example-missing"]
    assert report["summary"]["older"] == 1
    assert run("lint", "--since", "HEAD", "--statistics")[1].split() == ["1", "warning", "example-missing"]


def test_a_stricter_profile_reports_new_text_only(registry, run):
    edit(registry, "version: 1\n", "version: 1\nlint: {profile: strict}\n", "babelreg.yaml")
    assert run("lint", "--since", "main")[:2] == (0, "")
    edit(registry, FLAG, FLAG + "    note: {type: string}\n")
    assert "'note'" in run("lint", "--since", "main")[1]


def test_a_removed_waiver_makes_a_finding_new(registry, run):
    waiver = "    # babelreg: allow boolean-not-json -- the producer is old\n"
    edit(registry, FLAG, waiver + FLAG)
    git(registry, "commit", "-qam", "waived")
    edit(registry, waiver, "")
    assert "[boolean-not-json]" in run("lint", "--since", "HEAD")[1]


def test_a_branch_means_the_commit_that_it_shares_with_the_present_one(registry, run):
    edit(registry, FLAG, FLAG + NEW_FLAG)
    git(registry, "commit", "-qam", "more")
    assert run("lint", "--since", "work")[1] == ""
    assert "'sent'" in run("lint", "--since", "main")[1]
    git(registry, "checkout", "-q", "main")
    assert run("lint", "--since", "work")[1] == ""


def test_the_result_is_the_same_from_the_cache(registry, run):
    edit(registry, FLAG, FLAG + NEW_FLAG)
    first = run("lint", "--since", "main")
    assert run("lint", "--since", "main") == first == run("lint", "--since", "main", "--no-cache")
    git(registry, "commit", "-qam", "more")
    assert run("lint", "--since", "HEAD")[2].endswith("2 older findings are not shown\n")


def test_a_folder_may_hold_the_old_state(registry, run, tmp_path):
    shutil.copytree(registry, tmp_path / "old")
    assert run("lint", "--registry", "registry", "--since", "old")[0] == 0


def test_without_git_a_folder_still_works(registry, run, tmp_path, monkeypatch):
    shutil.copytree(registry, tmp_path / "old")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run("lint", "--registry", "registry", "--since", "old")[0] == 0
    code, _, err = run("lint", "--registry", "registry", "--since", "main")
    assert (code, "--since DIR" in err, "--against" in err) == (2, True, False)


def test_a_new_registry_has_no_older_findings(registry, run, tmp_path):
    shutil.copytree(registry, tmp_path / "second")
    code, _, err = run("lint", "--registry", "second", "--since", "main")
    assert (code, "the registry is new" in err) == (1, True)
    assert err.endswith("1 error in 1 file (1 message checked)\n")


@pytest.mark.parametrize(
    "more, text, fix",
    [
        pytest.param(["mian"], "git has no revision 'mian'", "--since HEAD~1", id="an unknown revision"),
        pytest.param(["main", "--fix"], "--fix also applies to", "remove --since", id="with --fix"),
        pytest.param(["main", "--diff"], "--diff also applies to", "remove --since", id="with --diff"),
    ],
)
def test_wrong_use(registry, run, more, text, fix):
    code, out, err = run("lint", "--since", *more)
    assert (code, out) == (2, "")
    assert text in err
    assert fix in err.partition("fix: ")[2]
    assert "--against" not in err


def test_outside_git_a_folder_is_proposed(registry, run, tmp_path):
    shutil.rmtree(tmp_path / ".git")
    code, _, err = run("lint", "--since", "main")
    assert (code, "is not in a git repository" in err, "--since DIR" in err) == (2, True, True)
