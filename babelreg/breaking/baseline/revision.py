"""Which commit is the published one, as seen from HEAD, and where the registry stood in it.

A branch means its merge-base with HEAD; a commit, a tag, ``HEAD~1`` or ``#ref=`` exactly that commit. Where the
merge-base is HEAD itself, HEAD when the registry folder has changes that are not committed, else HEAD's first parent.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher
from pathlib import Path, PurePosixPath

from babelreg.breaking.baseline.repository import UNSHALLOW, Git
from babelreg.breaking.baseline.work_tree import changed
from babelreg.errors import UsageError
from babelreg.load.files.registry_paths import SETTINGS

__all__ = ["chosen", "is_new", "merged_head", "named", "no_registry", "prefix_in", "repository_of"]

_CORRUPT = "git fsck, or clone it anew; or name a folder that holds the published registry: --against DIR"


def named(git: Git, against: str | None) -> tuple[str | None, str]:
    """The commit to compare with, and its name for people. None where HEAD has nothing before it. Raises UsageError."""
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
                         fix=_deeper(git, against))  # fmt: skip
    return commit, f"{commit[:8]} ({against})"


def _deeper(git: Git, against: str) -> str:
    """A shallow clone may just lack the commit: how far back is known for HEAD~3 alone."""
    steps = against.removeprefix("HEAD~")
    if git.shallow and steps != against and steps.isdigit() and len(steps) < 6:
        return f"git fetch --deepen={int(steps)}, or {UNSHALLOW}"
    return git.suggestion


def _merge_base(git: Git, branch: str, tip: str, head: str | None) -> tuple[str | None, str]:
    base = git.line("merge-base", tip, head) if head else tip
    if base is None:
        raise UsageError(f"{branch!r} and HEAD have no common commit", fix=git.suggestion)
    if base != head:
        return base, f"{base[:8]} (merge-base of {branch} and HEAD)"
    if changed(git):
        return head, f"{base[:8]} (HEAD; the registry has changes that are not committed)"
    parent = git.commit("HEAD^1")
    if parent is None and head in git.cut_at:
        fix = f"git fetch --deepen=1, or {UNSHALLOW}"
        raise UsageError("the parent of HEAD is not in this shallow clone", fix=fix)
    if parent is None:
        return None, f"nothing, as {base[:8]} is the first commit"
    return parent, f"{parent[:8]} (the first parent of HEAD)"


def chosen(git: Git, options: Mapping[str, str], *, same: bool) -> tuple[str | None, str]:
    """As :func:`named`, for ``branch=``, ``tag=``, ``ref=`` or ``commit=``; ``same`` where ``git`` has our own HEAD."""
    for option in ("ref", "tag", "commit"):
        if option in options:
            commit = git.commit(f"refs/tags/{options[option]}" if option == "tag" else options[option])
            if commit is None:
                raise UsageError(f"git knows no {option} {options[option]!r}", fix=git.suggestion)
            return commit, f"{commit[:8]} ({option} {options[option]})"
    branch = options.get("branch") or (git.default_branch() if same else "HEAD")
    tip = git.commit("HEAD") if branch == "HEAD" else git.branch(branch) if branch else None
    if tip is None or branch is None:
        raise UsageError(f"git knows no branch {branch!r}", fix=git.suggestion)
    if same and branch != "HEAD":
        return _merge_base(git, branch, tip, git.commit("HEAD"))
    return tip, f"{tip[:8]} ({branch})"


def prefix_in(git: Git, commit: str | None) -> str:
    """Where the registry stood in ``commit``: where it is now, else where the only one stood that is gone since.

    Without the latter, moving the folder would pass for a registry that is all new, and every break with it.
    """
    now = git.prefix
    if commit is None or git.has(commit, now + SETTINGS):
        return now
    gone = [path.removesuffix(SETTINGS) for path in git.removed_files(commit, SETTINGS)]
    if len(gone) > 1:
        raise UsageError(
            f"there was no registry at {now or 'the top'} of {commit[:8]}, but at {', '.join(gone)}",
            fix=f"say which it was: --against '.git#ref={commit[:8]},subdir={gone[0].rstrip('/')}'",
        )
    return gone[0] if gone else now


def is_new(own: Git, commit: str, prefix: str) -> bool:
    """True where the registry at hand stands at ``prefix``, and ``commit``, which has none there, is before it."""
    return prefix == own.prefix and own.refusal("merge-base", "--is-ancestor", commit, "HEAD") is None


def no_registry(git: Git, commit: str, name: str, prefix: str) -> UsageError:
    """The error that ``commit`` has no registry at ``prefix``; the way out names one that it has."""
    there = [path.removesuffix(SETTINGS) for path, _ in git.files(commit) if PurePosixPath(path).name == SETTINGS]
    near = sorted(there, key=lambda place: (-SequenceMatcher(None, place, prefix).ratio(), place))[:1]
    fix = (
        f"say where it was: --against '.git#ref={commit[:8]},subdir={near[0].rstrip('/')}'" if near else git.suggestion
    )
    if near == [""]:
        fix = f"it is at the top: --against '.git#ref={commit[:8]},subdir=.'"
    return UsageError(f"there is no registry at {prefix or 'the top'} of {name}", fix=fix)


def merged_head(git: Git, against: str | None) -> str | None:
    """HEAD, where the branch ``against`` (without it, the default one) holds that commit; None where it does not."""
    branch = git.default_branch() if against is None else against
    tip = git.branch(branch) if branch is not None and branch != "HEAD" else None
    head = git.commit("HEAD")
    return head if tip and head and git.line("merge-base", tip, head) == head else None


def repository_of(git: Git, root: Path) -> None:
    """Raises UsageError, saying why, where git finds no repository that it reads."""
    said = git.refusal("rev-parse", "--git-dir")
    if said is None:
        return
    if said.fix:
        raise UsageError(f"git does not read this repository: {said}", fix=said.fix)
    broken = next((up for up in (root.resolve(), *root.resolve().parents) if (up / ".git").exists()), None)
    if broken is not None:
        raise UsageError(f"git takes {broken / '.git'} for no sound repository: {said}", fix=_CORRUPT)
    raise UsageError(
        f"{root} is in no git repository, so there is nothing to compare it with",
        fix="name a folder that holds the published registry: --against DIR",
    )
