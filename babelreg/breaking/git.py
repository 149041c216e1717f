"""What is asked of git: always by subprocess, never a checkout, never the network; the work tree is not touched."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from babelreg.errors import UsageError
from babelreg.load.tree import MAX_BYTES

__all__ = ["Git", "GitError"]

_HANG_SECONDS = 120
# Set by git around its own hooks; they would point us at another repository than the one the registry is in.
_FOREIGN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY")


class GitError(Exception):
    """git said no. The text is the first line of what it said."""


class Git:
    """The repository that holds ``folder``, or the one at ``git_dir``."""

    def __init__(self, folder: Path, git_dir: Path | None = None) -> None:
        self.folder = folder
        self._where = ["-C", str(folder)] if git_dir is None else [f"--git-dir={git_dir.absolute()}"]

    def run(self, *arguments: str, given: bytes = b"") -> bytes:
        """What git prints. Raises GitError when it fails, UsageError when there is no git."""
        kept = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
        quiet = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
        command = ["git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", *self._where, *arguments]
        try:
            done = subprocess.run(command, input=given, capture_output=True, env=kept | quiet, timeout=_HANG_SECONDS)
        except FileNotFoundError as err:
            raise UsageError("git is not installed", fix="install git, or name a folder: --against DIR") from err
        except subprocess.TimeoutExpired as err:
            raise UsageError(f"git {arguments[0]} gave no answer in {_HANG_SECONDS} seconds") from err
        if done.returncode != 0:
            raise GitError((done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"])[0])
        return done.stdout

    def line(self, *arguments: str) -> str | None:
        """The one line git prints, or None when it fails or prints nothing."""
        try:
            return self.run(*arguments).decode("utf-8", "replace").strip() or None
        except GitError:
            return None

    @property
    def prefix(self) -> str:
        """The folder as the repository spells it, ending in a slash; empty for its top."""
        return self.line("rev-parse", "--show-prefix") or ""

    @property
    def shallow(self) -> bool:
        """True where history was cut off when the repository was cloned."""
        return self.line("rev-parse", "--is-shallow-repository") == "true"

    def commit(self, revision: str) -> str | None:
        """The commit that ``revision`` names, or None."""
        if revision.startswith("-") or "\0" in revision:
            return None
        return self.line("rev-parse", "--verify", "--quiet", revision + "^{commit}")

    def branch(self, name: str) -> str | None:
        """The tip of the local or remote branch ``name``, or None where there is none."""
        for namespace in ("refs/heads/", "refs/remotes/"):
            tip = self.commit(namespace + name)
            if tip:
                return tip
        return None

    def default_branch(self) -> str | None:
        """The remote's default branch, else a remote's main or master, else the local one."""
        remotes = (self.line("remote") or "").splitlines()
        for remote in sorted(remotes, key=lambda name: (name != "origin", name)):
            named = self.line("symbolic-ref", "--quiet", "--short", f"refs/remotes/{remote}/HEAD")
            for name in (named, f"{remote}/main", f"{remote}/master"):
                if name and self.commit(f"refs/remotes/{name}"):
                    return name
        return next((name for name in ("main", "master") if self.commit(f"refs/heads/{name}")), None)

    def changed(self) -> bool:
        """True when something below the folder is not as HEAD has it, new files included."""
        return bool(self.run("status", "--porcelain=v1", "-z", "--untracked-files=all", "--", "."))

    def has(self, commit: str, path: str) -> bool:
        """True where ``commit`` holds something at ``path``."""
        return self.line("cat-file", "-t", f"{commit}:{path}") is not None

    def vanished(self, commit: str, name: str) -> list[str]:
        """The paths of all files called ``name`` in ``commit`` that are no longer in the work tree, sorted."""
        top = self.line("rev-parse", "--show-toplevel")
        if top is None:
            return []
        listing = self.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
        paths = (path.decode("utf-8", "surrogateescape") for path in listing.split(b"\0"))
        named = (path for path in paths if path == name or path.endswith(f"/{name}"))
        return sorted(path for path in named if not (Path(top) / path).exists())

    def files(self, commit: str, prefix: str) -> dict[str, bytes]:
        """The regular files of ``commit`` below ``prefix`` that a registry may use, by their path below it."""
        wanted = dict(self._listed(commit, prefix))
        shas = list(dict.fromkeys(wanted.values()))
        bodies = dict(zip(shas, self._bodies(shas), strict=True))
        return {path: bodies[sha] for path, sha in wanted.items()}

    def _listed(self, commit: str, prefix: str) -> Iterator[tuple[str, str]]:
        scope: Sequence[str] = ("--", prefix) if prefix else ()
        listing = self.run("ls-tree", "-r", "-l", "-z", "--full-tree", commit, *scope)
        for entry in listing.split(b"\0"):
            about, tab, path = entry.partition(b"\t")
            mode, _, sha, size = (*about.split(), b"", b"", b"", b"")[:4]
            if not tab or mode not in (b"100644", b"100755") or not size.isdigit() or int(size) > MAX_BYTES:
                continue
            name = path.decode("utf-8", "surrogateescape").removeprefix(prefix)
            if name.count("/") <= 1:
                yield name, sha.decode()

    def _bodies(self, shas: Sequence[str]) -> Iterator[bytes]:
        given = "".join(f"{sha}\n" for sha in shas).encode()
        answer = self.run("cat-file", "--batch", given=given) if shas else b""
        at = 0
        for sha in shas:
            end = answer.index(b"\n", at)
            head = answer[at:end].split()
            if len(head) != 3 or not head[2].isdigit():
                raise GitError(f"object {sha} is not in this clone")
            start = end + 1
            yield answer[start : start + int(head[2])]
            at = start + int(head[2]) + 1
