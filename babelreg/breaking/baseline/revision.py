"""Resolution of ``--against`` to a commit, and the folder of the registry in that commit.

A branch means its merge-base with HEAD; a commit, a tag, ``HEAD~1`` or ``#ref=`` exactly that commit. Where the
merge-base is HEAD itself: HEAD if the registry has uncommitted changes, else its first parent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import SequenceMatcher
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from babelreg.breaking.baseline.repository import UNSHALLOW, Repository
from babelreg.breaking.baseline.work_tree import changed, may_be_used
from babelreg.errors import UsageError
from babelreg.load.files.registry_paths import SETTINGS

_CORRUPT = "git fsck, or clone it again; or compare with a folder that contains the published registry: --against DIR"


class Compared(NamedTuple):
    """What is compared, for people, and the files that belong to it."""

    what: str = "registry"
    used: Callable[[str], bool] = may_be_used


_REGISTRY = Compared()


def resolve(git: Repository, against: str | None, compared: Compared = _REGISTRY) -> tuple[str | None, str]:
    """Return the commit to compare with, and its displayed name. None where HEAD has no parent. Raises UsageError."""
    head = git.commit("HEAD")
    if against is None:
        against = git.default_branch()
        if against is None and head is None:
            return None, "a repository without commits"
        if against is None:
            fix = f"{UNSHALLOW}; or name one: --against BRANCH" if git.shallow else "name one: --against BRANCH"
            raise UsageError("there is no branch main or master to compare with", fix=fix)
    tip = git.branch(against)
    if tip is not None and against != "HEAD":
        return _merge_base(git, against, tip, head, compared)
    commit = git.commit(against)
    if commit is None and head is None:
        fix = "commit what is published; until then, remove --against or name a folder: --against DIR"
        raise UsageError(f"this repository has no commits, so there is no revision {against!r}", fix=fix)
    if commit is None:
        raise UsageError(f"git has no revision {against!r}, and there is no {compared.what} in a folder of that name",
                         fix=_fetch_command(git, against))  # fmt: skip
    return commit, f"{commit[:8]} ({against})"


def _fetch_command(git: Repository, against: str) -> str:
    """Return how to fetch a commit that a shallow clone may lack; the depth is known for HEAD~N only."""
    steps = against.removeprefix("HEAD~")
    if git.shallow and steps != against and steps.isdigit() and len(steps) < 6:
        return f"git fetch --deepen={int(steps)}, or {UNSHALLOW}"
    return git.suggestion


def _merge_base(
    git: Repository, branch: str, tip: str, head: str | None, compared: Compared = _REGISTRY
) -> tuple[str | None, str]:
    base = git.line("merge-base", tip, head) if head else tip
    if base is None:
        raise UsageError(f"{branch!r} and HEAD have no common commit", fix=git.suggestion)
    if base != head:
        return base, f"{base[:8]} (merge-base of {branch} and HEAD)"
    if changed(git, compared.used):
        return head, f"{base[:8]} (HEAD; the {compared.what} has uncommitted changes)"
    parent = git.commit("HEAD^1")
    if parent is None and head in git.cut_at:
        fix = f"git fetch --deepen=1, or {UNSHALLOW}"
        raise UsageError("the parent of HEAD is not in this shallow clone", fix=fix)
    if parent is None:
        return None, f"nothing, as {base[:8]} is the first commit"
    return parent, f"{parent[:8]} (the first parent of HEAD)"


def resolve_options(git: Repository, options: Mapping[str, str], *, same: bool) -> tuple[str | None, str]:
    """Resolve ``branch=``, ``tag=``, ``ref=`` or ``commit=`` like :func:`resolve`. ``same``: in the same repository."""
    for option in ("ref", "tag", "commit"):
        if option in options:
            commit = git.commit(f"refs/tags/{options[option]}" if option == "tag" else options[option])
            if commit is None:
                raise UsageError(f"git has no {option} {options[option]!r}", fix=git.suggestion)
            return commit, f"{commit[:8]} ({option} {options[option]})"
    branch = options.get("branch") or (git.default_branch() if same else "HEAD")
    tip = git.commit("HEAD") if branch == "HEAD" else git.branch(branch) if branch else None
    if tip is None or branch is None:
        raise UsageError(f"git has no branch {branch!r}", fix=git.suggestion)
    if same and branch != "HEAD":
        return _merge_base(git, branch, tip, git.commit("HEAD"))
    return tip, f"{tip[:8]} ({branch})"


def registry_prefix(git: Repository, commit: str | None) -> str:
    """Return the folder of the registry in ``commit``: the present one, else that of the only registry removed since.

    So a moved registry is still compared, and does not count as new.
    """
    present = git.prefix
    if commit is None or git.has(commit, present + SETTINGS):
        return present
    removed = [path.removesuffix(SETTINGS) for path in git.removed_files(commit, SETTINGS)]
    if len(removed) > 1:
        raise UsageError(
            f"there was no registry at {present or 'the top'} of {commit[:8]}, but at {', '.join(removed)}",
            fix=f"use: --against '.git#ref={commit[:8]},subdir={removed[0].rstrip('/')}'",
        )
    return removed[0] if removed else present


def is_new(own: Repository, commit: str, prefix: str) -> bool:
    """Return True where the present registry is at ``prefix``, and ``commit``, without one there, is an ancestor."""
    return prefix == own.prefix and own.refusal("merge-base", "--is-ancestor", commit, "HEAD") is None


def no_registry(git: Repository, commit: str, name: str, prefix: str) -> UsageError:
    """Return the error that ``commit`` has no registry at ``prefix``; its fix names one elsewhere."""
    prefixes = [path.removesuffix(SETTINGS) for path, _ in git.files(commit) if PurePosixPath(path).name == SETTINGS]
    near = sorted(prefixes, key=lambda other: (-SequenceMatcher(None, other, prefix).ratio(), other))[:1]
    fix = f"use: --against '.git#ref={commit[:8]},subdir={near[0].rstrip('/')}'" if near else git.suggestion
    if near == [""]:
        fix = f"it is at the top: --against '.git#ref={commit[:8]},subdir=.'"
    return UsageError(f"there is no registry at {prefix or 'the top'} of {name}", fix=fix)


def merged_head(git: Repository, against: str | None) -> str | None:
    """Return HEAD where the branch ``against``, by default the default branch, contains it; else None."""
    branch = git.default_branch() if against is None else against
    tip = git.branch(branch) if branch is not None and branch != "HEAD" else None
    head = git.commit("HEAD")
    return head if tip and head and git.line("merge-base", tip, head) == head else None


def check_repository(git: Repository, root: Path) -> None:
    """Raise UsageError where git finds no readable repository."""
    error = git.refusal("rev-parse", "--git-dir")
    if error is None:
        return
    if error.fix:
        raise UsageError(f"git does not read this repository: {error}", fix=error.fix)
    broken = next((up for up in (root.resolve(), *root.resolve().parents) if (up / ".git").exists()), None)
    if broken is not None:
        raise UsageError(f"git does not accept {broken / '.git'} as a repository: {error}", fix=_CORRUPT)
    raise UsageError(
        f"{root} is not in a git repository, so there is nothing to compare it with",
        fix="name a folder that contains what was published: --against DIR",
    )
