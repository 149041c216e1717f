"""``babelreg gen codeowners``: the file in its place, the block renewed, nothing else touched."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
GEN = ("gen", "codeowners")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    shutil.copytree(ROOT / "registry.example", tmp_path / "registry")
    with (tmp_path / "registry" / "babelreg.yaml").open("a") as settings:
        settings.write('owners: {team-orders: ["@acme/orders"]}\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("folder", [".github", ".", "docs"])
def test_the_file_of_the_repository_gets_the_block(repository, run, folder):
    (repository / folder).mkdir(exist_ok=True)
    file = repository / folder / "CODEOWNERS"
    file.write_text("* @acme/all\n")
    assert run(*GEN)[0] == 0
    assert file.read_text().startswith("* @acme/all\n\n# BEGIN babelreg")
    assert "\n/registry/orders/ @acme/orders\n" in file.read_text()


def test_a_repository_without_one_gets_the_file(repository, run):
    assert run(*GEN)[0] == 0
    assert (repository / ".github" / "CODEOWNERS").is_file()
    assert [path.name for path in (repository / ".github").iterdir()] == ["CODEOWNERS"]


def test_a_change_of_owners_makes_the_block_stale(repository, run):
    run(*GEN)
    assert run(*GEN, "--check")[0] == 0
    settings = repository / "registry" / "babelreg.yaml"
    settings.write_text(settings.read_text().replace("@acme/orders", "@acme/sales"))
    code, out, _ = run(*GEN, "--check")
    assert code == 1
    assert "the file does not match the registry [generated-file-stale]" in out


def test_an_owner_without_an_account_is_a_warning(repository, run):
    code, out, _ = run(*GEN)
    assert code == 0
    assert "warning: the owner 'team-crm' has no account in `owners` of babelreg.yaml" in out


def test_outside_git_it_says_once_that_nothing_reads_the_file(repository, run):
    (repository / ".git").rename(repository / "git")
    code, _, err = run(*GEN)
    assert code == 0
    assert err.count("registry/.github/CODEOWNERS is not read by code hosts: registry is not in a git repository") == 1
    assert "read by no code host" not in run(*GEN)[2]


@pytest.mark.parametrize(
    "folder, read",
    [
        pytest.param("generated", False, id="a folder in which no host looks"),
        pytest.param("registry", False, id="the registry below the top"),
        pytest.param("docs", True, id="a folder in which hosts look"),
    ],
)
def test_a_place_in_which_no_host_looks_is_named(repository, run, folder, read):
    err = run(*GEN, "--out", folder)[2]
    assert ("hosts look in .github, ., docs and .gitlab of the repository" in err) is not read
