"""The git command: what it may run and read, and how its failures are reported."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

import babelreg
from babelreg.errors import InputError, UsageError
from babelreg.git.command import GitCommand, GitError, run_limited


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path / "repository")], check=True)
    return tmp_path / "repository"


@pytest.mark.parametrize(
    "variable, is_passed_on",
    [
        pytest.param("GIT_DIR", False, id="another repository"),
        pytest.param("GIT_INDEX_FILE", False, id="another index"),
        pytest.param("GIT_SSH_COMMAND", False, id="a program for the network"),
        pytest.param("GIT_CONFIG_GLOBAL", True, id="the user's settings"),
        pytest.param("GIT_CEILING_DIRECTORIES", True, id="where the search for a repository ends"),
        pytest.param("HOME", True, id="a variable of others"),
    ],
)
def test_a_local_command_gets_no_variable_that_changes_its_repository(variable, is_passed_on, monkeypatch):
    monkeypatch.setenv(variable, "value")
    assert (GitCommand().environment.get(variable) == "value") is is_passed_on


def test_a_program_that_the_settings_of_the_repository_name_is_not_run(repository, tmp_path):
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    subprocess.run(["git", "-C", str(repository), "config", "core.fsmonitor", str(program)], check=True)
    GitCommand("-C", str(repository)).run("ls-files", "--others")
    assert not (tmp_path / "ran").exists()


def test_output_is_split_at_each_nul(repository):
    for name in ("a", "b"):
        (repository / name).write_text("")
    assert list(GitCommand("-C", str(repository)).fields("ls-files", "--others", "-z")) == [b"a", b"b"]


def test_a_refusal_is_the_first_line_of_the_message(tmp_path):
    with pytest.raises(GitError, match="^not a git repository"):
        GitCommand(f"--git-dir={tmp_path / 'none'}").run("rev-parse", "HEAD")
    with pytest.raises(InputError, match="^not a git repository"):
        run_limited(tmp_path, ["rev-parse", "HEAD"], given=b"", max_bytes=1 << 20, max_seconds=300)


def test_without_git_the_fix_names_another_way(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError) as local:
        GitCommand().run("version")
    with pytest.raises(UsageError) as limited:
        run_limited(None, ["version"], given=b"", max_bytes=1 << 20, max_seconds=300)
    assert local.value.fix == "install git, or name a folder: --against DIR"
    assert limited.value.fix == "install git, or name the registry by path"


def test_more_output_than_the_limit_is_an_error():
    with pytest.raises(InputError, match="wrote more than 0 MiB"):
        run_limited(None, ["help", "--all"], given=b"", max_bytes=10, max_seconds=300)


def test_no_other_module_starts_git():
    package = Path(babelreg.__file__).parent
    starters = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if "import subprocess" in path.read_text("utf-8")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.List | ast.Tuple) and node.elts
        if isinstance(node.elts[0], ast.Constant) and node.elts[0].value == "git"
    }
    assert starters == {"git/command.py"}
