"""What is asked of git: always by subprocess, never a checkout, never the network; the work tree is not touched."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from babelreg.errors import UsageError
from babelreg.load.inert_git import INERT

__all__ = ["UNSHALLOW", "Git", "GitError"]

UNSHALLOW = "git fetch --unshallow (in GitHub Actions: `fetch-depth: 0` under actions/checkout)"

_HANG_SECONDS = 120
_LONGEST_REVISION = 1000
_CHUNK = 1 << 18
# Anything else that git reads from its environment would point us at another repository, index or object store than
# those of the registry: git sets it around its own hooks.
_KEPT = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")
_QUIET = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",  # what is kept by content is kept under the name that git gives the content
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # git before 2.44 does not know the line above
}
# All that the settings of a repository can have git run, and that a command of ours could come by. What filters and
# text conversions run cannot be switched off in this way: no command that reads the work tree through them is used.
_SETTINGS = (*INERT, "core.askPass=", "credential.helper=", "log.showSignature=false", "log.follow=false")


class GitError(Exception):
    """git said no. The text is the first line of what it said; ``fix`` a line that mends it, where there is one."""

    def __init__(self, text: str, fix: str | None = None) -> None:
        super().__init__(text)
        self.fix = fix


class Git:
    """The repository that holds ``folder``, or the one at ``git_dir``."""

    def __init__(self, folder: Path, git_dir: Path | None = None) -> None:
        self.folder = folder
        self._where = ["-C", str(folder)] if git_dir is None else [f"--git-dir={git_dir.absolute()}"]

    def command(self, *arguments: str) -> list[str]:
        """The command line that asks git for ``arguments`` and for nothing else, whatever its settings say."""
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        return ["git", "--no-pager", *settings, *self._where, *arguments]

    @property
    def environment(self) -> dict[str, str]:
        """What git may know of its environment."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        return kept | {name: value for name, value in os.environ.items() if name.startswith(_KEPT)} | _QUIET

    def run(self, *arguments: str) -> bytes:
        """What git prints. Raises GitError when it fails, UsageError when there is no git."""
        try:
            done = subprocess.run(
                self.command(*arguments),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=self.environment,
                timeout=_HANG_SECONDS,
            )
        except FileNotFoundError as err:
            raise _no_git() from err
        except subprocess.TimeoutExpired as err:
            raise UsageError(f"git {' '.join(arguments[:2])} gave no answer in {_HANG_SECONDS} seconds") from err
        if done.returncode != 0:
            raise _refused(done.stderr)
        return done.stdout

    def fields(self, *arguments: str) -> Iterator[bytes]:
        """What git prints, cut at each NUL, as it comes. Raises as :meth:`run`."""
        with tempfile.TemporaryFile() as said:
            try:
                process = subprocess.Popen(
                    self.command(*arguments),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=said,
                    env=self.environment,
                )
            except FileNotFoundError as err:
                raise _no_git() from err
            guard = threading.Timer(_HANG_SECONDS, process.kill)
            guard.daemon = True
            guard.start()
            with process, contextlib.ExitStack() as stack:
                stack.callback(guard.cancel)
                assert process.stdout is not None
                rest = b""
                while part := process.stdout.read(_CHUNK):
                    *whole, rest = (rest + part).split(b"\0")
                    yield from whole
                if rest:
                    yield rest
            if process.returncode != 0:
                said.seek(0)
                raise _refused(said.read(_CHUNK))

    def refusal(self, *arguments: str) -> GitError | None:
        """What git says when it refuses; None when it does as asked."""
        try:
            self.run(*arguments)
        except GitError as err:
            return err
        return None

    def line(self, *arguments: str) -> str | None:
        """The one line git prints, or None when it fails or prints nothing."""
        try:
            return self.run(*arguments).decode("utf-8", "surrogateescape").strip() or None
        except GitError:
            return None

    @property
    def prefix(self) -> str:
        """The folder as the repository spells it, ending in a slash; empty for its top."""
        try:
            shown = self.run("rev-parse", "--show-prefix").decode("utf-8", "surrogateescape")
        except GitError:
            return ""
        return shown.removesuffix("\n")

    @property
    def shallow(self) -> bool:
        """True where history was cut off when the repository was cloned."""
        return self.line("rev-parse", "--is-shallow-repository") == "true"

    @cached_property
    def cut_at(self) -> frozenset[str]:
        """The commits whose parents were left out of a shallow clone."""
        place = self.line("rev-parse", "--path-format=absolute", "--git-path", "shallow")
        try:
            return frozenset(Path(place).read_text("ascii").split()) if place else frozenset()
        except (OSError, ValueError):
            return frozenset()

    @cached_property
    def grafts(self) -> bytes:
        """What ``info/grafts`` says of commits that are to have other parents than their own."""
        place = self.line("rev-parse", "--path-format=absolute", "--git-path", "info/grafts")
        try:
            return Path(place).read_bytes() if place else b""
        except OSError:
            return b""

    @property
    def way_out(self) -> str:
        """What to type where something is not there."""
        return (
            UNSHALLOW if self.shallow else "git fetch origin, or name a commit, a branch or a folder: --against HEAD~1"
        )

    def unreadable(self, err: GitError) -> UsageError:
        """``err`` as the user is told of it."""
        return UsageError(f"git cannot read what to compare with: {err}", fix=err.fix or self.way_out)

    @property
    def partial(self) -> bool:
        """True where files were left out when the repository was cloned (``--filter``), to be fetched when needed."""
        return self.line("config", "--get-regexp", r"^(remote\..*\.promisor|extensions\.partialclone)$") is not None

    def commit(self, revision: str) -> str | None:
        """The commit that ``revision`` names, or None."""
        if revision.startswith("-") or len(revision) > _LONGEST_REVISION or not revision.isprintable():
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
        """True when a file of the registry in the folder is not as HEAD has it, new files included."""
        from babelreg.breaking.work_tree import changed

        return changed(self)

    def has(self, commit: str, path: str) -> bool:
        """True where ``commit`` holds something at ``path``."""
        return self.line("cat-file", "-t", f"{commit}:{path}") is not None

    def vanished(self, commit: str, name: str) -> list[str]:
        """The paths of all files called ``name`` in ``commit`` that are no longer in the work tree, sorted."""
        top = self.line("rev-parse", "--show-toplevel")
        if top is None:
            return []
        paths = (path for path, _ in self.files(commit))
        named = (path for path in paths if path == name or path.endswith(f"/{name}"))
        return sorted(path for path in named if not (Path(top) / path).exists())

    def files(self, commit: str, prefix: str = "") -> Iterator[tuple[str, str]]:
        """The regular files of ``commit`` below ``prefix``, by their path below it, each with its object's id."""
        scope: Sequence[str] = ("--", prefix) if prefix else ()
        for entry in self.run("--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", commit, *scope).split(b"\0"):
            about, tab, path = entry.partition(b"\t")
            if tab and about.startswith((b"100644 ", b"100755 ", b"100664 ")):
                yield path.decode("utf-8", "surrogateescape").removeprefix(prefix), about.rpartition(b" ")[2].decode()

    def missing(self, what: str) -> GitError:
        """The error of an object that the repository lacks, with how to get it."""
        if self.partial:
            return GitError(
                f"{what} was left out of this partial clone, and nothing is fetched behind your back",
                "git fetch --refetch --no-filter (in GitHub Actions: no `filter` under actions/checkout)",
            )
        return GitError(f"{what} is not in this clone", None if self.shallow else "git fsck, or clone it anew")


def _no_git() -> UsageError:
    return UsageError("git is not installed", fix="install git, or name a folder: --against DIR")


def _refused(stderr: bytes) -> GitError:
    lines = stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
    first = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0])
    said = first.partition(": ")[2] if first.startswith(("fatal: ", "error: ")) else first
    if "dubious ownership" in said:
        folder = said.partition("repository at '")[2].rstrip("'")
        return GitError(
            f"another user owns {folder}, and git reads only what you say is safe",
            f"git config --global --add safe.directory {shlex.quote(folder)}",
        )
    return GitError(said)
