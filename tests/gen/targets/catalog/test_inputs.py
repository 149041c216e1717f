from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from babelreg.cli import main

EXAMPLE = Path(__file__).resolve().parents[4] / "registry.example"
NEW = "urn:babel:orders:created.v2"


def run(*args: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(arg) for arg in args])
    return int(ended.value.code or 0)


def git(folder: Path, *args: str) -> None:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgSign=false"]
    subprocess.run(["git", "-C", str(folder), *who, *args], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the registry in a folder of it, and one commit."""
    shutil.copytree(EXAMPLE, tmp_path / "repo" / "registry")
    git(tmp_path / "repo", "init", "-q", "-b", "main")
    git(tmp_path / "repo", "add", ".")
    git(tmp_path / "repo", "commit", "-qm", "Start")
    monkeypatch.chdir(tmp_path / "repo")
    return tmp_path / "repo"


def commit(repository: Path, path: str, subject: str) -> None:
    file = repository / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text((file.read_text("utf-8") if file.exists() else "") + "\n# more\n", "utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", subject)


def catalog(out: Path = Path("out")) -> Any:
    return json.loads((out / "catalog.json").read_text("utf-8"))


def subjects(urn: str) -> list[str]:
    commits = catalog()["messages"][urn].get("history", [])
    assert {author for *_, author in commits} <= {"Ada"}
    return [subject for _, _, subject, _ in commits]


def test_a_history_has_the_commits_of_the_file_and_of_its_fragments(repository: Path) -> None:
    commit(repository, "registry/orders/created.v2.yaml", "Edit the message")
    commit(repository, "registry/_common/money.yaml", "Edit a fragment")
    commit(repository, "registry/orders/cancelled.yaml", "Edit another message")
    commit(repository, "out/catalog.json", "Edit the output")
    commit(repository, "README.md", "Edit something else")
    shutil.rmtree("out")
    assert run("gen", "catalog", "--history", "--out", "out") == 0
    assert subjects(NEW) == ["Edit a fragment", "Edit the message", "Start"]
    assert subjects("urn:babel:orders:cancelled") == ["Edit another message", "Edit a fragment", "Start"]
    assert subjects("urn:babel:orders:placed") == ["Start"]


def test_a_commit_of_the_output_leaves_it_up_to_date(repository: Path) -> None:
    assert run("gen", "catalog", "--history", "--out", "out") == 0
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "Add the catalog")
    assert run("gen", "catalog", "--history", "--out", "out", "--check") == 0


def test_a_commit_of_a_message_is_noticed_although_no_file_changed_since(repository: Path) -> None:
    file = repository / "registry/orders/cancelled.yaml"
    file.write_text(file.read_text("utf-8") + "\n# more\n", "utf-8")
    assert run("gen", "catalog", "--history", "--out", "out") == 0
    git(repository, "commit", "-qam", "Edit")
    assert run("gen", "catalog", "--history", "--out", "out", "--check") == 1


def test_without_history_the_files_depend_on_the_registry_alone(repository: Path) -> None:
    assert run("gen", "catalog", "--out", "out") == 0
    before = Path("out/index.html").read_bytes()
    commit(repository, "README.md", "Edit")
    assert run("gen", "catalog", "--out", "out", "--check") == 0
    shutil.rmtree(repository / ".git")
    assert run("gen", "catalog", "--out", "other", "--registry", "registry") == 0
    assert Path("other/index.html").read_bytes() == before
    assert subjects(NEW) == []


def test_a_shallow_clone_leaves_the_history_out_and_says_so(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(repository, "registry/orders/created.v2.yaml", "Edit the message")
    git(tmp_path, "clone", "-q", "--depth", "1", repository.as_uri(), "shallow")
    monkeypatch.chdir(tmp_path / "shallow")
    assert run("gen", "catalog", "--history", "--out", "out") == 0
    assert "no history: the clone is shallow; run `git fetch --unshallow`" in capsys.readouterr().err
    assert catalog()["note"] == "The history of messages is left out: the clone is shallow."
    assert subjects(NEW) == []


def test_outside_git_there_is_no_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "registry")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert run("gen", "catalog", "--history", "--out", "out") == 0
    assert catalog()["note"] == "The history of messages is left out: the registry is not in a git repository."


def test_verdicts_are_those_of_compare(repository: Path) -> None:
    assert run("gen", "catalog", "--out", "out") == 0
    verdicts = catalog()["messages"][NEW]["comparison"]
    assert {name: verdict["kind"] for name, verdict in verdicts.items()} == {
        "backward": "breaking",
        "forward": "breaking",
    }
    assert "total" not in json.loads(verdicts["backward"]["witness"])
    assert "amount_minor" not in json.loads(verdicts["forward"]["witness"])


def test_verdicts_can_be_left_out(repository: Path) -> None:
    assert run("gen", "catalog", "--verdicts", "no", "--out", "out") == 0
    assert "comparison" not in catalog()["messages"][NEW]
