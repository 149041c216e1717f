"""Baseline of a comparison, as ``--against`` names it: a git revision, a branch, another folder, or an archive."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from babelreg import load
from babelreg.breaking.baseline import archive, revision
from babelreg.breaking.baseline.blob_trees import BlobTree, CommitTree, HashedTree
from babelreg.breaking.baseline.repository import Repository
from babelreg.breaking.baseline.versions import PublishedVersions
from babelreg.errors import UsageError
from babelreg.git.command import GitError
from babelreg.load.files.registry_paths import SETTINGS
from babelreg.load.files.tree import Folder, Memory
from babelreg.model import Registry

_OPTIONS = ("branch", "ref", "tag", "commit", "subdir", "strip_components")
_ONE_VERSION = "has one version of each message; earlier published versions are not compared"


@dataclass(frozen=True)
class Baseline:
    """A published registry. ``name`` identifies it for people: ``1a2b3c4d (merge-base of main and HEAD)``.

    ``note`` is a sentence on what it lacks, or None. ``tree`` holds its files, ``past`` the versions before it, None
    where it has no history. ``root`` is its folder, a prefix of the places of its defects. Where there is no published
    registry, ``new`` is True and ``name`` says so. ``seen_from`` is the repository of the present registry with the
    value of ``--against``, where that may be a branch.
    """

    name: str
    tree: BlobTree
    note: str | None = None
    past: PublishedVersions | None = None
    root: str = ""
    new: bool = False
    seen_from: tuple[Repository, str | None] | None = None

    @property
    def headline(self) -> str:
        """First line of a report: the baseline of the comparison."""
        return self.name if self.new else f"compared with {self.name}"

    def has_published(self, urn: str) -> bool:
        """Return True where ``urn`` is published in the baseline, or in HEAD where the branch contains it."""
        messages = (registry.by_urn.get(urn) for registry in self._published())
        return any(message is not None and message.status != "draft" for message in messages)

    def has_published_fragment(self, path: str) -> bool:
        """Return True where a shared fragment is published, as for :meth:`has_published`."""
        return any(path in registry.fragments for registry in self._published())

    def _published(self) -> Iterator[Registry]:
        yield self.registry
        if self.seen_from is not None:
            git, against = self.seen_from
            head = revision.merged_head(git, against)
            if head is not None:
                yield load.from_tree(CommitTree(git, head, git.prefix), self.root)

    @cached_property
    def registry(self) -> Registry:
        """The complete registry, read on first use."""
        return load.from_tree(self.tree, self.root) if self.tree.paths() else Registry("")

    def hashed(self, tree: Folder) -> HashedTree:
        """Return ``tree`` with blob ids comparable to those of the baseline."""
        if isinstance(self.tree, CommitTree):
            return HashedTree(tree, "sha256" if len(self.tree.commit or "") == 64 else "sha1", self.tree.id_of)
        return HashedTree(tree)


def of(root: Path, against: str | None) -> Baseline:
    """Return the baseline that ``against`` names, relative to the registry folder ``root``.

    Raises UsageError, with a fix, where it cannot be found.
    """
    if against is not None:
        single = _one_version(against)
        if single is not None:
            return single
        if "#" in against:
            return _with_options(root, against)
    git = Repository(root)
    misnamed = _misnamed(against) if against is not None else None
    try:
        revision.check_repository(git, root)
    except UsageError as err:
        raise misnamed or err from err.__cause__
    if misnamed and against is not None and not (git.branch(against) or git.commit(against)):
        raise misnamed
    try:
        commit, name = revision.resolve(git, against)
        baseline = _at_commit(git, git, commit, name, revision.registry_prefix(git, commit))
        return replace(baseline, seen_from=(git, against))
    except GitError as err:
        raise git.unreadable(err) from err


def _one_version(against: str) -> Baseline | None:
    """Return the folder or archive that ``against`` names; None where it names neither."""
    where, mark, options = against.partition("#")
    if archive.is_archive(Path(where)):
        chosen = _options(against, options)
        wrong = [option for option in chosen if option not in ("subdir", "strip_components")]
        if wrong or not chosen.get("strip_components", "0").isdecimal():
            fix = f"write it as --against '{where}#strip_components=1,subdir=registry'"
            raise UsageError(f"--against {against}: an archive has no such option", fix=fix)
        strip = int(chosen["strip_components"][:4]) if "strip_components" in chosen else None
        tree, folder = archive.registry_in(Path(where), chosen.get("subdir"), strip)
        name = f"{folder} in {where}" if folder else where
        return Baseline(f"the archive {name}", HashedTree(tree), f"an archive {_ONE_VERSION}", root=folder)
    if not mark and os.path.isfile(f"{against}/{SETTINGS}"):  # noqa: PTH113 - other than Path's, it never raises
        tree_of = HashedTree(Folder(against))
        return Baseline(f"the folder {against} as it is now", tree_of, f"a folder {_ONE_VERSION}", root=against)
    return None


def _misnamed(against: str) -> UsageError | None:
    """Return the error for a folder or file that is not a registry; None where ``against`` names neither."""
    if os.path.isdir(against):  # noqa: PTH112 - as above
        fix = "name the folder that contains it, as for --registry"
        return UsageError(f"the folder {against} has no {SETTINGS}, and git has no revision with that name", fix=fix)
    if against.lower().endswith(archive.SUFFIXES):
        return UsageError(
            f"there is no archive {against}", fix="correct the path; it is relative to the current folder"
        )
    if os.path.isfile(against):  # noqa: PTH113 - as above
        fix = f"pack the registry as one of {', '.join(archive.SUFFIXES)}"
        return UsageError(f"{against} is neither a supported archive nor a git revision", fix=fix)
    return None


def _at_commit(git: Repository, own: Repository, commit: str | None, name: str, prefix: str) -> Baseline:
    """Return the registry below ``prefix`` in ``commit`` of ``git``. ``own`` is the present registry's repository."""
    tree = CommitTree(git, commit, prefix)
    if tree.id_of(SETTINGS) is not None:
        return Baseline(name, tree, past=PublishedVersions(tree))
    if commit is None:
        name_of_new = f"the registry is new: compared with {name}"
    elif revision.is_new(own, commit, prefix):
        name_of_new = f"the registry is new: there was none at {prefix or 'the top'} of {name}, so nothing can break"
    else:
        raise revision.no_registry(git, commit, name, prefix)
    return Baseline(name_of_new, HashedTree(Memory({})), new=True)


def _with_options(root: Path, against: str) -> Baseline:
    """Return the baseline of ``.git#branch=main,subdir=registry``: a repository and options."""
    where, _, options = against.partition("#")
    chosen = _options(against, options)
    if "strip_components" in chosen:
        raise UsageError(f"--against {against}: only an archive has strip_components", fix="remove it")
    git_dir = Path(where or ".git")
    if os.path.exists(git_dir / ".git") and not os.path.exists(git_dir / "HEAD"):  # noqa: PTH110 - as above
        git_dir = git_dir / ".git"
    other = _repository(root, git_dir)
    error = other.refusal("rev-parse", "--git-dir")
    if error is not None:
        what = f": {error}" if error.fix else ""
        raise UsageError(
            f"{git_dir} is not a git repository{what}", fix=error.fix or "write it as --against .git#branch=main"
        )
    prefix = "".join(f"{part}/" for part in chosen.get("subdir", "").split("/") if part not in ("", "."))
    own = Repository(root)
    common = ("rev-parse", "--path-format=absolute", "--git-common-dir")
    same = own.line(*common) == other.line(*common)
    try:
        commit, name = revision.resolve_options(own if same else other, chosen, same=same)
        if same and "subdir" not in chosen:
            prefix = revision.registry_prefix(own, commit)
        return _at_commit(other, own, commit, name, prefix)
    except GitError as err:
        raise other.unreadable(err) from err


def _repository(root: Path, git_dir: Path) -> Repository:
    if git_dir == Path(".git") and not git_dir.exists():
        return Repository(root)
    # A linked work tree and a submodule have a file named .git that leads to the real folder.
    return Repository(git_dir.parent) if os.path.isfile(git_dir) else Repository(root, git_dir)  # noqa: PTH113 - as above


def _options(against: str, options: str) -> Mapping[str, str]:
    chosen: dict[str, str] = {}
    for option in filter(None, options.split(",")):
        name, equals, value = option.partition("=")
        if name not in _OPTIONS or not equals or not value:
            raise UsageError(
                f"--against {against}: {option!r} is not one of {', '.join(k + '=…' for k in _OPTIONS)}",
                fix="write it as --against .git#branch=main,subdir=registry",
            )
        chosen[name] = value
    return chosen
