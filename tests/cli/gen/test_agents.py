"""``babelreg gen agents``: the block in the repository's AGENTS.md, the include in CLAUDE.md, nobody's words lost."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
GEN = ("gen", "agents")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    shutil.copytree(ROOT / "registry.example", tmp_path / "registry")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_repository_gets_the_file_and_no_other(repository, run):
    assert run(*GEN, "--check")[0] == 1
    assert run(*GEN)[0] == 0
    assert sorted(path.name for path in repository.iterdir()) == [".git", "AGENTS.md", "registry"]
    assert "`registry/` is the babelreg registry" in (repository / "AGENTS.md").read_text()
    assert run(*GEN, "--check")[0] == 0


def test_an_existing_claude_md_includes_it(repository, run):
    (repository / "CLAUDE.md").write_text("# Ours\n")
    assert run(*GEN)[0] == 0
    assert (repository / "CLAUDE.md").read_text() == "# Ours\n\n@AGENTS.md\n"
    assert run(*GEN, "--check")[0] == 0


@pytest.mark.parametrize("option", [(), ("--check",), ("--dry-run",)])
def test_an_edited_block_is_refused_and_the_difference_shown(repository, run, option):
    run(*GEN)
    file = repository / "AGENTS.md"
    file.write_text(file.read_text().replace("Rules:", "Our rules:"))
    edited = file.read_text()
    code, out, err = run(*GEN, *option)
    assert code == 2
    assert "-Our rules:\n+Rules:\n" in out
    assert "AGENTS.md:1:1: error: the block of babelreg was edited" in err
    assert file.read_text() == edited
