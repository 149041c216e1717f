"""Whether the work tree is as HEAD has it is read off the disk; nothing that the repository names is run."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.breaking.baseline import against as baseline
from babelreg.breaking.baseline.repository import Repository
from babelreg.breaking.baseline.work_tree import changed
from babelreg.breaking.check.run import check
from babelreg.cli.update import _commit
from babelreg.errors import UsageError
from babelreg.git.command import GitError
from babelreg.scan.file_selection import source_files

DATA = "{type: object, properties: {a: {type: string}}}"
MESSAGE = "orders/created.yaml"


def edited(repository: Any) -> None:
    repository.write(MESSAGE, "urn: urn:babel:orders:created\n")


def staged(repository: Any) -> None:
    before = (repository.root / MESSAGE).read_bytes()
    edited(repository)
    repository.git("add", "-A")
    (repository.root / MESSAGE).write_bytes(before)


def linked(repository: Any) -> None:
    path = repository.root / MESSAGE
    path.rename(repository.root / "orders/other.txt")
    path.symlink_to("other.txt")


def new_line_breaks(repository: Any) -> None:
    path = repository.root / MESSAGE
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


def left_out(repository: Any) -> None:
    repository.git("update-index", "--skip-worktree", f"registry/{MESSAGE}")
    (repository.root / MESSAGE).unlink()


@pytest.mark.parametrize(
    "change, counts",
    [
        pytest.param(lambda r: None, False, id="nothing happened"),
        pytest.param(edited, True, id="a message was edited"),
        pytest.param(staged, True, id="an edit was staged and taken back on the disk"),
        pytest.param(linked, True, id="a link took the place of a file"),
        pytest.param(lambda r: (r.root / MESSAGE).unlink(), True, id="a message was removed"),
        pytest.param(lambda r: r.write("orders/paid.yaml", ""), True, id="a message is new"),
        pytest.param(lambda r: r.write("orders/x/y/e.jsonl", ""), True, id="examples further down are new"),
        pytest.param(lambda r: r.write("a/b/c.py", ""), False, id="code further down is new"),
        pytest.param(lambda r: (r.folder / "README").write_text(""), False, id="something beside the registry is new"),
        pytest.param(new_line_breaks, False, id="git left the line breaks of Windows"),
        pytest.param(left_out, False, id="a sparse checkout leaves a file out"),
        pytest.param(lambda r: (r.root / MESSAGE).touch(), False, id="a file was touched"),
    ],
)
def test_a_change_of_the_registry_is_noticed(repository: Any, change: Any, counts: bool) -> None:
    repository.commit(DATA)
    change(repository)
    assert changed(Repository(repository.root)) is counts


def test_what_git_ignores_is_not_new(repository: Any) -> None:
    repository.write(".gitignore", "*.tmp.yaml\n")
    repository.commit(DATA)
    repository.write("orders/x.tmp.yaml", "")
    assert not changed(Repository(repository.root))


def test_a_repository_of_sha256_is_read_alike(repository: Any) -> None:
    shutil.rmtree(repository.folder / ".git")
    repository.git("init", "-q", "-b", "main", "--object-format=sha256")
    repository.commit(DATA)
    assert not changed(Repository(repository.root))
    edited(repository)
    assert changed(Repository(repository.root))


def test_without_a_commit_there_is_nothing_to_compare_with(repository: Any) -> None:
    with pytest.raises(GitError):
        changed(Repository(repository.root))


ATTRIBUTES = "* filter=evil diff=evil merge=evil text=auto\n"
SETTINGS = (
    *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.command", "diff.evil.textconv"),
    *("merge.evil.driver", "diff.external", "core.pager", "pager.log", "pager.status", "core.fsmonitor", "core.editor"),
    *(
        "core.sshCommand",
        "core.gitProxy",
        "core.askPass",
        "core.alternateRefsCommand",
        "gpg.program",
        "gpg.ssh.program",
    ),
    *("sequence.editor", "uploadpack.packObjectsHook", "interactive.diffFilter", "credential.helper", "web.browser"),
)
HOOKS = (
    "post-index-change",
    "fsmonitor-watchman",
    "pre-commit",
    "post-checkout",
    "reference-transaction",
    "pre-auto-gc",
)


@pytest.fixture
def hostile(repository: Any, tmp_path: Path) -> tuple[Any, Path]:
    """A repository of which every setting and hook that can name a program writes the marker file."""
    marker = tmp_path / "ran"
    program = tmp_path / "evil.sh"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {marker}\ncat\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    repository.commit(DATA)
    repository.commit("{type: object, properties: {a: {type: integer}}}")
    (repository.folder / ".gitattributes").write_text(ATTRIBUTES)
    (repository.folder / ".git/info/attributes").write_text(ATTRIBUTES)
    for setting in SETTINGS:
        repository.git("config", setting, str(program))
    for name in ("log", "status", "ls-files", "rev-parse", "cat-file", "diff-index"):
        repository.git("config", f"alias.{name}", f"!{program}")
    for setting, value in {
        "filter.evil.required": "true",
        "log.showSignature": "true",
        "submodule.recurse": "true",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "remote.origin.url": f"ext::{program}",
        "remote.origin.promisor": "true",
        "remote.origin.partialCloneFilter": "blob:none",
        "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1",
    }.items():
        repository.git("config", setting, value)
    folder = tmp_path / "hooks"
    folder.mkdir()
    for hooks in (folder, repository.folder / ".git/hooks"):
        hooks.mkdir(exist_ok=True)
        for name in HOOKS:
            (hooks / name).symlink_to(program)
    repository.git("config", "core.hooksPath", str(folder))
    # Racy and touched: git itself would have to ask the filter what these files are.
    for path in repository.root.rglob("*.yaml"):
        os.utime(path, (1, 1))
    marker.unlink(missing_ok=True)
    return repository, marker


def test_the_marker_appears_where_git_is_asked_as_usual(hostile: tuple[Any, Path]) -> None:
    repository, marker = hostile
    subprocess.run(["git", "-c", "core.fsmonitor=false", "status"], cwd=repository.folder, capture_output=True)
    assert marker.exists()


@pytest.mark.parametrize("against", [None, "main", "HEAD", "HEAD~1", ".git#ref=HEAD~1", "no-such-branch"])
@pytest.mark.parametrize("dirty", [False, True], ids=["clean", "dirty"])
def test_comparing_runs_nothing_that_the_repository_names(
    hostile: tuple[Any, Path], monkeypatch: pytest.MonkeyPatch, against: str | None, dirty: bool
) -> None:
    repository, marker = hostile
    monkeypatch.chdir(repository.folder)
    if dirty:
        repository.write("orders/_context.yaml", "owner: team-others\n")
    try:
        published = baseline.of(repository.root, against)
        check(published.registry, load.registry(repository.root), past=published.past)
    except UsageError:
        assert against == "no-such-branch"
    assert not marker.exists(), marker.read_text()


def test_a_missing_object_is_not_fetched_by_a_program(hostile: tuple[Any, Path]) -> None:
    repository, marker = hostile
    sha = repository.git("-c", "core.fsmonitor=false", "rev-parse", f"HEAD:registry/{MESSAGE}")
    marker.unlink(missing_ok=True)
    (repository.folder / ".git/objects" / sha[:2] / sha[2:]).unlink()
    with pytest.raises(UsageError):
        assert baseline.of(repository.root, "HEAD").registry.messages
    assert not marker.exists(), marker.read_text()


def test_pinning_and_scanning_run_nothing_either(hostile: tuple[Any, Path]) -> None:
    repository, marker = hostile
    _commit(repository.root)
    assert source_files([str(repository.folder)])
    assert not marker.exists(), marker.read_text()
