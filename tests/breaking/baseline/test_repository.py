"""Repositories as they are met: each works, or says what to type; nothing is run, fetched or written."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.breaking.baseline import against as baseline
from babelreg.breaking.check.run import check
from babelreg.errors import UsageError
from babelreg.finding import Finding

FIRST = "{type: object, properties: {b: {type: string}, a: {}}}"
THEN = "{type: object, properties: {a: {}}}"
NOW = "{type: object, properties: {b: {type: integer}, a: {}}}"
GIT = shutil.which("git") or ""


def found(root: Path, against: str | None = "HEAD") -> list[Finding]:
    published = baseline.of(root, against)
    return check(published.registry, load.registry(root), past=published.past)


def grown(repository: Any) -> Any:
    """Two commits, and a change in the work tree that only the first shows to break."""
    repository.commit(FIRST)
    repository.commit(THEN)
    write(repository.root)
    return repository


def write(root: Path, data: str = NOW) -> None:
    (root / "orders/created.yaml").write_text(
        f"urn: urn:babel:orders:created\nkind: event\nproducers: [orders-api]\ndata: {data}\n"
    )


def breaks(root: Path, against: str | None = "HEAD") -> bool:
    return [finding.rule for finding in found(root, against)] == ["type-changed"]


def in_a_linked_work_tree(repository: Any, folder: Path) -> Path:
    repository.git("worktree", "add", "-q", "-b", "more", str(folder / "linked"), "main")
    return folder / "linked/registry"


def in_a_submodule(repository: Any, folder: Path) -> Path:
    repository.git("init", "-q", str(folder / "outer"))
    repository.git("-C", str(folder / "outer"), "submodule", "add", "-q", str(repository.folder), "inner")
    return folder / "outer/inner/registry"


def with_a_detached_head(repository: Any, folder: Path) -> Path:
    repository.git("checkout", "-q", "-f", "--detach", "main")
    return Path(repository.root)


def with_a_hostile_configuration(repository: Any, folder: Path) -> Path:
    for setting, value in {
        "log.showSignature": "true",
        "gpg.program": f"touch {folder}/ran;",
        "core.pager": f"touch {folder}/ran",
        "core.fsmonitor": f"touch {folder}/ran",
        "core.hooksPath": str(folder / "hooks"),
        "diff.external": f"touch {folder}/ran",
        "log.follow": "true",
        "log.showRoot": "false",
        "color.ui": "always",
        "diff.renames": "copies",
        "diff.relative": "true",
        "diff.orderFile": str(folder / "none"),
        "format.pretty": "oneline",
        "log.decorate": "full",
        "core.quotePath": "true",
    }.items():
        repository.git("config", setting, value)
    (folder / "none").write_text("")
    return Path(repository.root)


def with_a_replaced_object(repository: Any, folder: Path) -> Path:
    commits = repository.git("rev-list", "main").split()
    old, new = (
        repository.git("rev-parse", f"{commit}:registry/orders/created.yaml") for commit in (commits[1], "main")
    )
    repository.git("replace", old, new)
    return Path(repository.root)


@pytest.mark.parametrize(
    "place",
    [
        in_a_linked_work_tree,
        in_a_submodule,
        with_a_detached_head,
        with_a_hostile_configuration,
        with_a_replaced_object,
    ],
)
def test_history_is_found(repository: Any, tmp_path: Path, place: Any) -> None:
    root = place(grown(repository), tmp_path)
    write(root)
    assert breaks(root)
    assert not (tmp_path / "ran").exists()


def test_a_bare_repository_elsewhere(repository: Any, tmp_path: Path) -> None:
    grown(repository)
    repository.git("clone", "-q", "--bare", str(repository.folder), str(tmp_path / "bare.git"))
    shutil.copytree(repository.root, tmp_path / "plain")
    assert breaks(tmp_path / "plain", f"{tmp_path}/bare.git#branch=main,subdir=registry")


def test_a_repository_of_sha256(repository: Any, tmp_path: Path) -> None:
    shutil.rmtree(repository.folder / ".git")
    repository.git("init", "-q", "-b", "main", "--object-format=sha256")
    grown(repository)
    assert breaks(repository.root)
    published = baseline.of(repository.root, "HEAD")
    hashed = published.hashed(load.folder(repository.root))
    assert hashed.id_of("orders/_context.yaml") == published.tree.id_of("orders/_context.yaml")


@pytest.mark.parametrize("name", ["a b.yaml", "ünï.yaml", "new\nline.yaml", "-x.yaml", "*.yaml", ":(top).yaml"])
def test_any_file_name(repository: Any, name: str) -> None:
    about = "urn: urn:babel:orders:odd\nkind: event\nproducers: [orders-api]\n"
    for data in (FIRST, THEN):
        repository.write(f"orders/{name}", f"{about}data: {data}\n")
        repository.git("add", "-A")
        repository.git("commit", "-q", "-m", "odd")
    repository.write(f"orders/{name}", f"{about}data: {NOW}\n")
    assert breaks(repository.root)


def test_a_registry_folder_with_an_odd_name(repository: Any) -> None:
    grown(repository)
    for name in ("a b", "ünï", ":(glob)x", "-x", "*"):
        odd = repository.folder / name
        shutil.rmtree(odd, ignore_errors=True)
        repository.git("stash", "-q")
        repository.git("mv", "--", next(p.parent.name for p in repository.folder.glob("*/babelreg.yaml")), name)
        repository.git("commit", "-q", "-m", "move")
        repository.git("stash", "drop", "-q")
        write(odd)
        assert breaks(odd), name
        repository.git("checkout", "-q", "--", ".")
        write(odd)


@pytest.mark.parametrize("against", ["--output=stolen", "-n1", "--all", "HEAD\0", "HEAD\n", "x" * 5000, "--", "\ud800"])
def test_a_hostile_revision_is_only_unknown(
    repository: Any, against: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown(repository)
    monkeypatch.chdir(tmp_path)
    for spelled in (against, f".git#ref={against}", f"#branch={against}", f"#tag={against}"):
        with pytest.raises(UsageError) as raised:
            found(repository.root, spelled)
        assert raised.value.fix
    assert not list(tmp_path.rglob("stolen*"))


def test_an_object_that_is_lost_is_said(repository: Any) -> None:
    grown(repository)
    sha = repository.git("rev-parse", "HEAD:registry/orders/created.yaml")
    (repository.folder / ".git/objects" / sha[:2] / sha[2:]).unlink()
    with pytest.raises(UsageError, match="is not in this clone") as raised:
        found(repository.root)
    assert "git fsck" in (raised.value.fix or "")


def test_a_damaged_repository_is_said(repository: Any) -> None:
    grown(repository)
    (repository.folder / ".git/HEAD").write_text("nonsense")
    with pytest.raises(UsageError, match="does not accept .* as a repository") as raised:
        found(repository.root)
    assert "git fsck" in (raised.value.fix or "")


def test_a_damaged_object_is_said(repository: Any) -> None:
    grown(repository)
    sha = repository.git("rev-parse", "HEAD^{tree}")
    path = repository.folder / ".git/objects" / sha[:2] / sha[2:]
    path.chmod(0o644)
    path.write_bytes(b"nonsense")
    with pytest.raises(UsageError) as raised:
        found(repository.root)
    assert raised.value.fix


def test_a_partial_clone_is_told_what_to_fetch_and_nothing_is_fetched(repository: Any, tmp_path: Path) -> None:
    grown(repository)
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--filter=blob:none", f"file://{repository.folder}", str(clone))
    write(clone / "registry")
    with pytest.raises(UsageError, match="partial clone") as raised:
        found(clone / "registry")
    fix = (raised.value.fix or "").partition(" (")[0]
    assert fix == "git fetch --refetch --no-filter"
    repository.git("-C", str(clone), *fix.split()[1:])
    assert breaks(clone / "registry")


def test_a_folder_of_another_user_is_said(repository: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    grown(repository)
    folder = repository.folder.parent / "bin"
    folder.mkdir()
    # What git is told of its environment is chosen, so that the test's variable has to be put in behind that.
    (folder / "git").write_text(f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec "{GIT}" "$@"\n')
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    for against in (None, "HEAD"):
        with pytest.raises(UsageError) as raised:
            found(repository.root, against)
        assert "git config --global --add safe.directory" in (raised.value.fix or "")


def test_how_far_back_a_shallow_clone_must_be_fetched_is_said(repository: Any, tmp_path: Path) -> None:
    grown(repository)
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--depth=1", f"file://{repository.folder}", str(clone))
    for against in (None, "HEAD~1"):
        with pytest.raises(UsageError) as raised:
            found(clone / "registry", against)
        assert (raised.value.fix or "").startswith("git fetch --deepen=1, or git fetch --unshallow")
    repository.git("-C", str(clone), "fetch", "-q", "--deepen=1")
    assert baseline.of(clone / "registry", "HEAD~1").registry.messages


def test_an_unborn_branch_has_nothing_before_it(repository: Any) -> None:
    grown(repository)
    repository.git("checkout", "-q", "-f", "--orphan", "fresh")
    write(repository.root)
    assert found(repository.root, None) is not None
    assert baseline.of(repository.root, "main").registry.messages


def test_line_breaks_of_windows_make_no_difference(repository: Any) -> None:
    repository.commit(FIRST)
    for path in repository.root.rglob("*.yaml"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    published = baseline.of(repository.root, "HEAD")
    hashed = published.hashed(load.folder(repository.root))
    assert {path: hashed.id_of(path) for path in hashed.paths()} == dict(published.tree.ids)
