"""``babelreg gen codeowners``: the file in its place, the block renewed, nothing else touched."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
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
