"""Calls of the git command that run nothing that the settings of a repository name.

:class:`GitCommand` reads a repository on this machine, without a checkout and without network access.
:func:`run_limited` may contact a server, within limits of time and output. Neither prompts on a terminal.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from babelreg.errors import InputError, UsageError

_LOCAL_SECONDS = 120
_CHUNK_BYTES = 1 << 18
_MAX_ERROR_BYTES = 1 << 16
_FILE_TOO_LARGE = getattr(signal, "SIGXFSZ", 0)

_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.alternateRefsCommand=",
    "core.quotePath=false",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "transfer.bundleURI=false",
    "gc.auto=0",
    "maintenance.auto=false",
)
# Every program that the settings of a repository can name and that a local command could run. Filters and text
# conversions cannot be switched off in this way: no command that reads the work tree through them is used.
_LOCAL_SETTINGS = (*_SETTINGS, "core.askPass=", "credential.helper=", "log.showSignature=false", "log.follow=false")
_SILENT = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_REPLACE_OBJECTS": "1"}
# Any other variable would point git at another repository, index or object store than those of the registry: git sets
# them around its own hooks.
_LOCAL_VARIABLES = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")
_LOCAL = {
    **_SILENT,
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # git before 2.44 does not know GIT_NO_LAZY_FETCH
}
_NETWORK_VARIABLES = ("GIT_CONFIG", "GIT_EXEC_PATH", "GIT_SSH", "GIT_ASKPASS", "GIT_SSL", "GIT_PROXY", "GIT_TRACE")
_NETWORK = {
    **_SILENT,
    "GIT_ALLOW_PROTOCOL": "https:ssh:file",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_LFS_SKIP_SMUDGE": "1",
}


class GitError(Exception):
    """A refusal of git: the first line of its message, and in ``fix`` a line that resolves it, where there is one."""

    def __init__(self, text: str, fix: str | None = None) -> None:
        super().__init__(text)
        self.fix = fix


class GitCommand:
    """The git command for one repository, which ``where`` names in git's own options: ``-C`` or ``--git-dir``."""

    def __init__(self, *where: str) -> None:
        self._where = where

    def command(self, *arguments: str) -> list[str]:
        """Return the command line that runs ``arguments`` and nothing else, whatever the settings say."""
        return _command_line(_LOCAL_SETTINGS, self._where, arguments)

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables of a local command."""
        return _environment(_LOCAL_VARIABLES) | _LOCAL

    def run(self, *arguments: str) -> bytes:
        """Return the output. Raises GitError when git fails, UsageError when there is no git or no answer."""
        try:
            done = subprocess.run(
                self.command(*arguments),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=self.environment,
                timeout=_LOCAL_SECONDS,
            )
        except FileNotFoundError as err:
            raise _not_installed("name a folder: --against DIR") from err
        except subprocess.TimeoutExpired as err:
            raise UsageError(f"git {' '.join(arguments[:2])} did not answer within {_LOCAL_SECONDS} seconds") from err
        if done.returncode != 0:
            raise _refused(done.stderr)
        return done.stdout

    def fields(self, *arguments: str) -> Iterator[bytes]:
        """Yield the output in parts, split at each NUL, while git prints it. Raises as :meth:`run`."""
        with tempfile.TemporaryFile() as errors:
            try:
                process = subprocess.Popen(
                    self.command(*arguments),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    env=self.environment,
                )
            except FileNotFoundError as err:
                raise _not_installed("name a folder: --against DIR") from err
            guard = threading.Timer(_LOCAL_SECONDS, process.kill)
            guard.daemon = True
            guard.start()
            with process, contextlib.ExitStack() as stack:
                stack.callback(guard.cancel)
                assert process.stdout is not None
                rest = b""
                while part := process.stdout.read(_CHUNK_BYTES):
                    *complete, rest = (rest + part).split(b"\0")
                    yield from complete
                if rest:
                    yield rest
            if process.returncode != 0:
                errors.seek(0)
                raise _refused(errors.read(_CHUNK_BYTES))

    def server(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a command that reads requests from its input and answers on its output."""
        return subprocess.Popen(
            self.command(*arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.environment,
        )

    def refusal(self, *arguments: str) -> GitError | None:
        """Return the error when git refuses, None when the command succeeds."""
        try:
            self.run(*arguments)
        except GitError as err:
            return err
        return None

    def line(self, *arguments: str) -> str | None:
        """Return the one line that git prints, or None when it fails or prints nothing."""
        try:
            return self.run(*arguments).decode("utf-8", "surrogateescape").strip() or None
        except GitError:
            return None


def run_limited(
    git_dir: Path | None, arguments: Sequence[str], *, given: bytes, max_bytes: int, max_seconds: float
) -> bytes:
    """Return the output of a command that may contact a server, with ``given`` as its input.

    Raises InputError with the first line of git's refusal, when there is no answer in ``max_seconds``, and when git
    writes a file, or prints, more than ``max_bytes``: a small tree can name itself a million times.
    """
    where = [] if git_dir is None else [f"--git-dir={git_dir.absolute()}"]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                _command_line(_SETTINGS, where, arguments),
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=errors,
                env=_network_environment(),
                cwd=git_dir,
                start_new_session=True,
                preexec_fn=_limit_files(max_bytes),
            )
        except FileNotFoundError as err:
            raise _not_installed("name the registry by path") from err
        try:
            process.communicate(given, timeout=max_seconds)
        except subprocess.TimeoutExpired as err:
            fix = "try again, or check the network"
            raise InputError(f"git did not answer within {max_seconds} seconds", fix=fix) from err
        finally:
            if process.poll() is None:
                _kill(process)
        if process.returncode == -_FILE_TOO_LARGE or output.tell() > max_bytes:
            fix = "use a repository that contains only a registry"
            raise InputError(f"git wrote more than {max_bytes >> 20} MiB", fix=fix)
        output.seek(0), errors.seek(0)
        if process.returncode != 0:
            raise InputError(_first_line(errors.read(_MAX_ERROR_BYTES)))
        return output.read()


def _command_line(settings: Sequence[str], where: Sequence[str], arguments: Sequence[str]) -> list[str]:
    return ["git", "--no-pager", *(word for setting in settings for word in ("-c", setting)), *where, *arguments]


def _environment(prefixes: tuple[str, ...]) -> dict[str, str]:
    """Return our own environment without git's variables, except those that start with one of ``prefixes``."""
    return {name: text for name, text in os.environ.items() if not name.startswith("GIT_") or name.startswith(prefixes)}


def _network_environment() -> Mapping[str, str]:
    environment = _environment(_NETWORK_VARIABLES)
    silent = {"GIT_ASKPASS": "", "SSH_ASKPASS": "", "GIT_SSH_COMMAND": "ssh -oBatchMode=yes"}
    chosen = {name: text for name, text in silent.items() if name not in environment or name == "SSH_ASKPASS"}
    if "GIT_SSH" in environment:
        chosen.pop("GIT_SSH_COMMAND", None)
    return environment | chosen | _NETWORK


def _limit_files(max_bytes: int) -> Callable[[], None] | None:
    """Return a function that stops a new process from writing larger files; None on systems that cannot do so."""
    if sys.platform == "win32":
        return None
    import resource

    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (max_bytes, max_bytes))


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the process and the helpers that it started."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
    process.communicate()


def _not_installed(instead: str) -> UsageError:
    return UsageError("git is not installed", fix=f"install git, or {instead}")


def _first_line(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
    first = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0])
    return first.partition(": ")[2] if first.startswith(("fatal: ", "error: ")) else first


def _refused(stderr: bytes) -> GitError:
    text = _first_line(stderr)
    if "dubious ownership" not in text:
        return GitError(text)
    folder = text.partition("repository at '")[2].rstrip("'")
    return GitError(
        f"{folder} belongs to another user, and git reads only folders that are marked as safe",
        f"git config --global --add safe.directory {shlex.quote(folder)}",
    )
