"""Read access to the commits, branches and files of a git repository, without its work tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from babelreg.errors import UsageError
from babelreg.git.command import GitCommand, GitError

UNSHALLOW = "git fetch --unshallow (in GitHub Actions: `fetch-depth: 0` under actions/checkout)"

_MAX_REVISION_LENGTH = 1000


class Repository(GitCommand):
    """The git repository that contains ``folder``, or the one at ``git_dir``."""

    def __init__(self, folder: Path, git_dir: Path | None = None) -> None:
        self.folder = folder
        super().__init__(*(("-C", str(folder)) if git_dir is None else (f"--git-dir={git_dir.absolute()}",)))

    @property
    def prefix(self) -> str:
        """The folder relative to the top of the repository, with a trailing slash; empty for the top itself."""
        try:
            shown = self.run("rev-parse", "--show-prefix").decode("utf-8", "surrogateescape")
        except GitError:
            return ""
        return shown.removesuffix("\n")

    @property
    def shallow(self) -> bool:
        """True for a shallow clone."""
        return self.line("rev-parse", "--is-shallow-repository") == "true"

    @cached_property
    def cut_at(self) -> frozenset[str]:
        """Commits whose parents a shallow clone lacks."""
        place = self.line("rev-parse", "--path-format=absolute", "--git-path", "shallow")
        try:
            return frozenset(Path(place).read_text("ascii").split()) if place else frozenset()
        except (OSError, ValueError):
            return frozenset()

    @property
    def suggestion(self) -> str:
        """Command that makes a missing revision available."""
        return (
            UNSHALLOW
            if self.shallow
            else "git fetch origin, or compare with a commit, a branch or a folder: --against HEAD~1"
        )

    def unreadable(self, err: GitError) -> UsageError:
        """Return ``err`` as an error for the user."""
        return UsageError(f"git cannot read what to compare with: {err}", fix=err.fix or self.suggestion)

    @property
    def partial(self) -> bool:
        """True for a partial clone (``--filter``), which fetches files on demand."""
        return self.line("config", "--get-regexp", r"^(remote\..*\.promisor|extensions\.partialclone)$") is not None

    def commit(self, revision: str) -> str | None:
        """Return the commit that ``revision`` names, or None."""
        if revision.startswith("-") or len(revision) > _MAX_REVISION_LENGTH or not revision.isprintable():
            return None
        return self.line("rev-parse", "--verify", "--quiet", revision + "^{commit}")

    def branch(self, name: str) -> str | None:
        """Return the tip of the local or remote branch ``name``, or None."""
        for namespace in ("refs/heads/", "refs/remotes/"):
            tip = self.commit(namespace + name)
            if tip:
                return tip
        return None

    def default_branch(self) -> str | None:
        """Return the remote's default branch, else a remote's main or master, else the local one, or None."""
        remotes = (self.line("remote") or "").splitlines()
        for remote in sorted(remotes, key=lambda name: (name != "origin", name)):
            named = self.line("symbolic-ref", "--quiet", "--short", f"refs/remotes/{remote}/HEAD")
            for name in (named, f"{remote}/main", f"{remote}/master"):
                if name and self.commit(f"refs/remotes/{name}"):
                    return name
        return next((name for name in ("main", "master") if self.commit(f"refs/heads/{name}")), None)

    def has(self, commit: str, path: str) -> bool:
        """Return True where ``path`` exists in ``commit``."""
        return self.line("cat-file", "-t", f"{commit}:{path}") is not None

    def removed_files(self, commit: str, name: str) -> list[str]:
        """Return the paths of all files called ``name`` in ``commit`` that are not in the work tree, sorted."""
        top = self.line("rev-parse", "--show-toplevel")
        if top is None:
            return []
        paths = (path for path, _ in self.files(commit))
        named = (path for path in paths if path == name or path.endswith(f"/{name}"))
        return sorted(path for path in named if not (Path(top) / path).exists())

    def files(self, commit: str, prefix: str = "") -> Iterator[tuple[str, str]]:
        """Yield the regular files of ``commit`` below ``prefix``: path relative to it, and object id."""
        scope: Sequence[str] = ("--", prefix) if prefix else ()
        for entry in self.run("--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", commit, *scope).split(b"\0"):
            about, tab, path = entry.partition(b"\t")
            if tab and about.startswith((b"100644 ", b"100755 ", b"100664 ")):
                yield path.decode("utf-8", "surrogateescape").removeprefix(prefix), about.rpartition(b" ")[2].decode()

    def missing(self, what: str) -> GitError:
        """Return the error for a missing object, with a fix."""
        if self.partial:
            return GitError(
                f"{what} is missing in this partial clone, and babelreg does not fetch by itself",
                "git fetch --refetch --no-filter (in GitHub Actions: no `filter` under actions/checkout)",
            )
        return GitError(f"{what} is not in this clone", None if self.shallow else "git fsck, or clone it again")
