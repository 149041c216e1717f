from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from babelreg.git.command import GitError
from babelreg.git.log import commits, position


def git(folder: Path, *args: str, **env: str) -> str:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgSign=false"]
    return subprocess.run(
        ["git", "-C", str(folder), *who, *args],
        check=True,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", **env},
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    return tmp_path


def commit(repository: Path, subject: str, *paths: str, at: int = 1_790_000_000) -> None:
    for path in paths:
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text(subject, "utf-8")
    git(repository, "add", "-A")
    git(
        repository,
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        subject,
        GIT_AUTHOR_DATE=f"{at} +0900",
        GIT_COMMITTER_DATE=f"{at} +0900",
    )


def test_it_lists_the_commits_of_a_folder_newest_first(repository: Path) -> None:
    commit(repository, "One", "in/a.yaml", "out/x")
    commit(repository, "Two", "out/x")
    commit(repository, "Three: “é”", "in/a.yaml", "in/b/ü \n.yaml", at=1_790_086_400)
    found = commits(repository / "in")
    assert [(day, author, subject, paths) for _, day, author, subject, paths in found] == [
        ("2026-09-22", "Ada", "Three: “é”", ("a.yaml", "b/ü \n.yaml")),
        ("2026-09-21", "Ada", "One", ("a.yaml",)),
    ]
    assert found[0][0] == git(repository, "rev-parse", "HEAD")


@pytest.mark.parametrize("subject", ["\x01" + "a" * 40, "x\x01y", "-- --all", "%H%n"])
def test_a_subject_cannot_pass_for_a_commit(repository: Path, subject: str) -> None:
    commit(repository, "One", "a.yaml")
    commit(repository, subject, "a.yaml")
    assert [(found[3], found[4]) for found in commits(repository)] == [(subject, ("a.yaml",)), ("One", ("a.yaml",))]


def test_an_empty_folder_has_no_commits(repository: Path) -> None:
    commit(repository, "One", "a.yaml")
    (repository / "in").mkdir()
    assert commits(repository / "in") == []


def test_a_repository_without_a_commit_has_no_position(repository: Path) -> None:
    assert position(repository) is None
    with pytest.raises(GitError):
        commits(repository)


def test_the_position_names_the_commit_and_whether_there_is_more(repository: Path) -> None:
    commit(repository, "One", "a.yaml")
    assert position(repository) == (git(repository, "rev-parse", "HEAD"), False)
