"""A line of history that was kept is the one that git tells, or it is not taken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.breaking.baseline import against, history
from babelreg.breaking.baseline.blob_trees import CommitTree
from babelreg.breaking.baseline.history import FileHistory
from babelreg.breaking.baseline.repository import Git
from babelreg.breaking.check.run import check
from babelreg.cache import fingerprint, store

STRING = "{type: object, properties: {a: {type: integer}, b: {type: string}}}"
NONE = "{type: object, properties: {a: {type: integer}}}"
INTEGER = "{type: object, properties: {a: {type: integer}, b: {type: integer}}}"


def line(root: Path, folder: Path | None, since: str | None = None) -> FileHistory:
    """The line to HEAD of the registry in ``root``, kept in ``folder``."""
    git = Git(root)
    commit = git.commit("HEAD")
    assert commit is not None
    tree = CommitTree(git, commit, git.prefix)
    return history.cached_history(folder, git, commit, tree.prefix, tree.ids, since)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commits whose history was asked of git."""
    asked: list[str] = []
    read = history.read_history

    def noted(git: Git, commit: str, *more: Any) -> FileHistory:
        asked.append(commit)
        return read(git, commit, *more)

    monkeypatch.setattr(history, "read_history", noted)
    return asked


def test_a_line_is_read_once_and_stays_the_same(repository: Any, tmp_path: Path, reads: list[str]) -> None:
    first = repository.commit(STRING)
    repository.commit(NONE)
    repository.git("mv", "registry", "moved")
    repository.git("commit", "-qm", "move")
    top = repository.folder / "moved"
    told = line(top, None)
    assert [line(top, tmp_path / "kept") for _ in range(3)] == [told] * 3
    assert [line(top, tmp_path / "kept", since=first) for _ in range(2)] == [line(top, None, since=first)] * 2
    assert len(reads) == 4
    assert len(told.commits) == 3


def test_another_commit_has_a_line_of_its_own(repository: Any, tmp_path: Path, reads: list[str]) -> None:
    commits = [repository.commit(STRING)]
    line(repository.root, tmp_path / "kept")
    commits.append(repository.commit(NONE))
    assert len(line(repository.root, tmp_path / "kept").commits) == 2
    assert reads == commits


def test_a_clone_that_is_deepened_has_its_whole_line(repository: Any, tmp_path: Path) -> None:
    for data in (STRING, NONE):
        repository.commit(data)
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--depth=1", f"file://{repository.folder}", str(clone))
    assert len(line(clone / "registry", tmp_path / "kept").commits) == 1
    repository.git("-C", str(clone), "fetch", "-q", "--unshallow")
    assert len(line(clone / "registry", tmp_path / "kept").commits) == 2


def test_grafts_make_another_line(repository: Any, tmp_path: Path) -> None:
    first, _, last = (repository.commit(data) for data in (STRING, NONE, INTEGER))
    assert len(line(repository.root, tmp_path / "kept").commits) == 3
    (repository.folder / ".git/info").mkdir(exist_ok=True)
    (repository.folder / ".git/info/grafts").write_text(f"{last} {first}\n")
    assert len(line(repository.root, tmp_path / "kept").commits) == 2


def test_what_other_code_read_is_not_taken(
    repository: Any, tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit(STRING)
    line(repository.root, tmp_path / "kept")
    monkeypatch.setattr(fingerprint, "code", lambda parts: b"other")
    line(repository.root, tmp_path / "kept")
    assert len(reads) == 2


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda body: body[:-1], id="cut short"),
        pytest.param(lambda body: store._sum(b"[]") + b"[]", id="other JSON with a sum of its own"),
        pytest.param(lambda body: store._sum(b'{"commits":[],"events":{"a":[[1]]}}') + b'{"commits":[],"events":'
                     b'{"a":[[1]]}}', id="an event without parts"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_read_anew(repository: Any, tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    repository.commit(STRING)
    told = line(repository.root, tmp_path / "kept")
    (file,) = (tmp_path / "kept").iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert line(repository.root, tmp_path / "kept") == told


def test_a_line_with_a_name_that_is_no_text_is_not_kept(repository: Any, tmp_path: Path) -> None:
    try:
        (repository.root / "orders" / b"\xff.yaml".decode("utf-8", "surrogateescape")).write_text("a: 1\n")
    except OSError:
        pytest.skip("this file system takes text alone")
    repository.commit(STRING)
    assert any("\udcff" in path for path in line(repository.root, tmp_path / "kept").events)
    assert not (tmp_path / "kept").exists()


def test_what_breaks_is_the_same_with_and_without(repository: Any, tmp_path: Path) -> None:
    for data in (STRING, NONE):
        repository.commit(data)
    repository.write(
        "orders/created.yaml", (repository.root / "orders/created.yaml").read_text().replace(NONE, INTEGER)
    )
    found = []
    for folder in (None, tmp_path / "kept", tmp_path / "kept"):
        published = against.of(repository.root, "HEAD")
        assert published.past is not None
        published.past.history_folder = folder
        found.append(check(published.registry, load.registry(repository.root), past=published.past))
    assert found[0] == found[1] == found[2]
    assert [finding.rule for finding in found[0]] == ["type-changed"]
