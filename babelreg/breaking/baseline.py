"""What the registry is compared against: a git revision, a branch, or another folder.

A branch means its merge-base with HEAD; a commit, a tag, ``HEAD~1`` or ``#ref=`` exactly that commit. Where the
merge-base is HEAD itself, HEAD when the registry folder has changes that are not committed, else HEAD's first parent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from babelreg import load
from babelreg.breaking.git import Git, GitError
from babelreg.errors import UsageError
from babelreg.load.tree import Folder, Memory, Tree
from babelreg.model import Registry

__all__ = ["Baseline", "of"]

_SETTINGS = "babelreg.yaml"
_UNSHALLOW = "git fetch --unshallow (in GitHub Actions: `fetch-depth: 0` under actions/checkout)"


@dataclass(frozen=True)
class Baseline:
    """A published registry. ``name`` says which, for people: ``1a2b3c4d (merge-base of main and HEAD)``.

    ``note`` is a sentence on what was not there, or None. ``tree`` holds its files.
    """

    registry: Registry
    name: str
    tree: Tree
    note: str | None = None


def of(root: Path, against: str | None) -> Baseline:
    """The baseline that ``against`` names, as seen from the registry folder ``root``.

    Raises UsageError, saying what to type, where it cannot be found.
    """
    if against is not None and "#" in against:
        return _spelled_out(root, against)
    if against is not None and (Path(against) / _SETTINGS).is_file():
        return _folder(Path(against))
    git = Git(root)
    if git.line("rev-parse", "--git-dir") is None:
        raise UsageError(
            f"{root} is in no git repository, so there is nothing to compare it with",
            fix="name a folder that holds the published registry: --against DIR",
        )
    try:
        commit, name = _revision(git, against)
        return _at(git, commit, name, _prefix_then(git, commit))
    except GitError as err:
        raise UsageError(f"git cannot read what to compare with: {err}", fix=_way_out(git)) from err


def _folder(folder: Path) -> Baseline:
    tree = Folder(folder)
    return Baseline(load.from_tree(tree, str(folder)), f"the folder {folder} as it is now", tree)


def _at(git: Git, commit: str | None, name: str, prefix: str) -> Baseline:
    files: Mapping[str, bytes] = git.files(commit, prefix) if commit else {}
    tree = Memory(files)
    if _SETTINGS in files:
        return Baseline(load.from_tree(tree, ""), name, tree)
    note = f"there was no registry at {prefix or 'the top'}: everything is new"
    return Baseline(Registry(""), name, tree, note)


def _prefix_then(git: Git, commit: str | None) -> str:
    """Where the registry stood in ``commit``: where it is now, else where the only one stood that is gone since.

    Without the latter, moving the folder would pass for a registry that is all new, and every break with it.
    """
    now = git.prefix
    if commit is None or git.has(commit, now + _SETTINGS):
        return now
    gone = [path.removesuffix(_SETTINGS) for path in git.vanished(commit, _SETTINGS)]
    if len(gone) > 1:
        raise UsageError(
            f"there was no registry at {now or 'the top'} of {commit[:8]}, but at {', '.join(gone)}",
            fix=f"say which it was: --against '.git#ref={commit[:8]},subdir={gone[0].rstrip('/')}'",
        )
    return gone[0] if gone else now


def _revision(git: Git, against: str | None) -> tuple[str | None, str]:
    """The commit to compare with, and its name for people. None where HEAD has nothing before it."""
    head = git.commit("HEAD")
    if against is None:
        against = git.default_branch()
        if against is None and head is None:
            return None, "a repository without commits"
        if against is None:
            raise UsageError("there is no branch main or master to compare with", fix="name one: --against BRANCH")
    tip = git.branch(against)
    if tip is not None and against != "HEAD":
        return _merge_base(git, against, tip, head)
    commit = git.commit(against)
    if commit is None:
        raise UsageError(f"git knows no revision {against!r}, and no registry is in a folder of that name",
                         fix=_way_out(git))  # fmt: skip
    return commit, f"{commit[:8]} ({against})"


def _merge_base(git: Git, branch: str, tip: str, head: str | None) -> tuple[str | None, str]:
    base = git.line("merge-base", tip, head) if head else tip
    if base is None:
        raise UsageError(f"{branch!r} and HEAD have no common commit", fix=_way_out(git))
    if base != head:
        return base, f"{base[:8]} (merge-base of {branch} and HEAD)"
    if git.changed():
        return head, f"{base[:8]} (HEAD; the registry has changes that are not committed)"
    parent = git.commit("HEAD^1")
    if parent is None and git.shallow:
        raise UsageError("the parent of HEAD is not in this shallow clone", fix=_UNSHALLOW)
    if parent is None:
        return None, f"nothing, as {base[:8]} is the first commit"
    return parent, f"{parent[:8]} (the first parent of HEAD)"


def _way_out(git: Git) -> str:
    if git.shallow:
        return _UNSHALLOW
    return "git fetch origin, or name a commit, a branch or a folder: --against HEAD~1"


def _spelled_out(root: Path, against: str) -> Baseline:
    """``.git#branch=main,subdir=registry``: a repository, then what to take of it."""
    where, _, options = against.partition("#")
    chosen = _options(against, options)
    git_dir = Path(where or ".git")
    git_dir = git_dir if (git_dir / "HEAD").exists() or not (git_dir / ".git").exists() else git_dir / ".git"
    other = _repository(root, git_dir)
    if other.line("rev-parse", "--git-dir") is None:
        raise UsageError(f"{git_dir} is no git repository", fix="write it as --against .git#branch=main")
    prefix = chosen["subdir"].strip("/") + "/" if chosen.get("subdir", "").strip("/") else ""
    own = Git(root)
    same = own.line("rev-parse", "--path-format=absolute", "--git-common-dir") == other.line(
        "rev-parse", "--path-format=absolute", "--git-common-dir"
    )
    try:
        commit, name = _chosen(own if same else other, chosen, same=same)
        if same and "subdir" not in chosen:
            prefix = _prefix_then(own, commit)
        return _at(other, commit, name, prefix)
    except GitError as err:
        raise UsageError(f"git cannot read what to compare with: {err}", fix=_way_out(other)) from err


def _repository(root: Path, git_dir: Path) -> Git:
    if git_dir == Path(".git") and not git_dir.exists():
        return Git(root)
    # A linked work tree and a submodule have a file named .git that leads to the real folder.
    return Git(git_dir.parent) if git_dir.is_file() else Git(root, git_dir)


def _chosen(git: Git, chosen: Mapping[str, str], *, same: bool) -> tuple[str | None, str]:
    for option in ("ref", "tag", "commit"):
        if option in chosen:
            named = f"refs/tags/{chosen[option]}" if option == "tag" else chosen[option]
            commit = git.commit(named)
            if commit is None:
                raise UsageError(f"git knows no {option} {chosen[option]!r}", fix=_way_out(git))
            return commit, f"{commit[:8]} ({option} {chosen[option]})"
    branch = chosen.get("branch") or (git.default_branch() if same else "HEAD")
    tip = git.commit("HEAD") if branch == "HEAD" else git.branch(branch) if branch else None
    if tip is None or branch is None:
        raise UsageError(f"git knows no branch {branch!r}", fix=_way_out(git))
    if same and branch != "HEAD":
        return _merge_base(git, branch, tip, git.commit("HEAD"))
    return tip, f"{tip[:8]} ({branch})"


def _options(against: str, options: str) -> dict[str, str]:
    known = ("branch", "ref", "tag", "commit", "subdir")
    chosen: dict[str, str] = {}
    for option in filter(None, options.split(",")):
        name, equals, value = option.partition("=")
        if name not in known or not equals or not value:
            raise UsageError(
                f"--against {against}: {option!r} is not one of {', '.join(k + '=…' for k in known)}",
                fix="write it as --against .git#branch=main,subdir=registry",
            )
        chosen[name] = value
    return chosen
