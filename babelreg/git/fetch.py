"""Registries from git repositories: fetched into the cache by ``git``, and exported there as plain folders.

The URL, the repository and every name in it are untrusted. Nothing of it is checked out, run or followed: no hooks, no
submodules, no other transport than https, ssh and files, no prompt on the terminal. Only regular files with the names
of a registry's files are written, below a folder of their own.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from babelreg.errors import InputError, UsageError
from babelreg.git.command import run_limited

SUFFIXES = (".yaml", ".yml", ".json", ".jsonl", ".gitignore")
"""Endings of the files that are exported from a repository."""
MOST_FILES = 100_000
MOST_BYTES = 64 << 20

_MOST_LISTED = 16 << 20
_MOST_WRITTEN = 1 << 30

_SECONDS = 300
_WRITABLE = "make the cache folder writable, or set BABELREG_CACHE_DIR to another folder"
_URL = re.compile(r"(?:https|ssh|file)://[^\s\x00-\x1f\x7f]+\Z")
_SCP = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[^\s\x00-\x1f\x7f:-][^\s\x00-\x1f\x7f]*\Z")
_REF = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._/+-]*\Z")
_SHA = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_PART = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9._+-]*|\.gitignore)\Z")


def checked_url(url: str) -> str:
    """Return ``url`` unchanged.

    Raises UsageError for another transport, an option in disguise, or a password.
    """
    host = url.partition("://")[2].partition("/")[0]
    name, _, address = host.rpartition("@")
    if "::" in url.partition("/")[0] or url.startswith("-") or not (_URL.match(url) or _SCP.match(url)):
        raise UsageError(
            f"{url!r} is not a URL that babelreg can fetch",
            fix="write it as https://host/path.git, ssh://git@host/path.git, git@host:path.git or file:///path",
        )
    if address.startswith("-") or name.startswith("-"):
        raise UsageError(f"{url!r}: a host does not start with '-'", fix="write it as https://host/path.git")
    if ":" in name or (name and url.startswith("https:")):
        raise UsageError(
            "the URL of the registry contains a password or token, and this file is checked in",
            fix="remove it, and store it in a credential helper of git: git config --global credential.helper store",
        )
    return url


def checked_ref(ref: str) -> str:
    """Return ``ref`` unchanged. Raises UsageError where it cannot name a branch, a tag or a commit."""
    if ref != "HEAD" and (not _REF.match(ref) or ".." in ref or ref.endswith((".lock", "/", "."))):
        raise UsageError(f"{ref!r} is not the name of a branch, a tag or a commit", fix="write it as ref: main")
    return ref


def commit_of(store: Path, url: str, ref: str) -> str:
    """Fetch ``ref`` of ``url`` into the bare repository ``store``, and return its commit.

    Raises InputError where git refuses or gives no answer.
    """
    checked_url(url), checked_ref(ref)
    with _locked(store.parent):
        _made(store)
        return _fetched(store, url, ref)


def _fetched(store: Path, url: str, ref: str) -> str:
    fetched_ref = "refs/babelreg/last"
    options = ("--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-gc", "--quiet", "--force")
    try:
        _git(store, "fetch", *options, "--depth=1", "--", url, f"{ref}:{fetched_ref}")
    except InputError as err:
        if not _SHA.match(ref):
            raise InputError(f"cannot fetch {ref} of {url}: {err.message}", fix=_fix(err.message)) from err
        # A server may refuse to send a commit by its id: then fetch all branches and tags, which may contain it.
        every = ("+refs/heads/*:refs/babelreg/heads/*", "+refs/tags/*:refs/babelreg/tags/*")
        try:
            _git(
                store, "fetch", *options, *(["--unshallow"] if (store / "shallow").exists() else []), "--", url, *every
            )
        except InputError as again:
            raise InputError(f"cannot fetch {url}: {again.message}", fix=_fix(again.message)) from again
        fetched_ref = ref
    try:
        return (
            _git(store, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{fetched_ref}^{{commit}}")
            .decode()
            .strip()
        )
    except InputError as err:
        raise InputError(f"cannot fetch {ref} of {url}: it has no such commit", fix="babelreg update") from err


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Wait while another process fetches into ``folder``: one ref names the last fetched commit."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        busy = (folder / "busy").open("a")
    except OSError as err:
        raise InputError(f"cannot write {folder}: {err.strerror}", fix=_WRITABLE) from err
    with busy:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(busy, fcntl.LOCK_EX)
        yield


def export(store: Path, commit: str, subdir: str | None, into: Path) -> None:
    """Export the registry's files of ``commit`` into the new folder ``into``, all or none.

    Raises InputError where they are too many or too large, or ``subdir`` is not there.
    """
    if not _SHA.match(commit):
        raise InputError(f"{commit!r} is not a commit", fix="babelreg update")
    if into.is_dir():
        return
    into.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(dir=into.parent, prefix=".part-"))
    try:
        _write(store, list(_files(store, commit, subdir)), part)
        with contextlib.suppress(FileExistsError, OSError):
            part.rename(into)
        if not into.is_dir():
            raise InputError(f"cannot write {into}", fix=_WRITABLE)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _files(store: Path, commit: str, subdir: str | None) -> Iterator[tuple[str, str, int]]:
    """Yield the path below ``subdir``, the id and the size of each file that a registry may use."""
    prefix = subdir.strip("/") + "/" if subdir else ""
    scope = ("--", prefix) if prefix else ()
    listed = _git(
        store, "--literal-pathspecs", "ls-tree", "-r", "-z", "-l", "--full-tree", commit, *scope, most=_MOST_LISTED
    )
    number = total = 0
    for entry in filter(None, listed.split(b"\0")):
        about, _, name = entry.partition(b"\t")
        mode, _, sha, size = about.split()
        path = name.decode("utf-8", "surrogateescape").removeprefix(prefix)
        if mode not in (b"100644", b"100755") or not path.endswith(SUFFIXES) or not _plain(path):
            continue
        number, total = number + 1, total + int(size)
        if number > MOST_FILES or total > MOST_BYTES:
            limit = f"{MOST_FILES:,} files or {MOST_BYTES >> 20} MiB"
            raise InputError(
                f"the repository contains more than {limit} of YAML and JSON",
                fix="set subdir to the folder of the registry",
            )
        yield path, sha.decode(), int(size)


def _plain(path: str) -> bool:
    """Return False for a path that could lead out of a folder, or means something else on another system."""
    return all(_PART.match(part) for part in path.split("/"))


def _write(store: Path, files: list[tuple[str, str, int]], folder: Path) -> None:
    ids = "".join(f"{sha}\n" for _, sha, _ in files).encode()
    answer = _git(store, "cat-file", "--batch", given=ids)
    at = 0
    for path, _, size in files:
        start = answer.index(b"\n", at) + 1
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with (
            contextlib.suppress(FileExistsError),
            target.open("xb") as file,
        ):  # equal names on this disk
            file.write(answer[start : start + size])
        at = start + size + 1


def _made(store: Path) -> None:
    if not (store / "HEAD").is_file():
        store.mkdir(exist_ok=True)
        _git(None, "init", "--quiet", "--bare", "--template=", str(store))


def _git(store: Path | None, *arguments: str, given: bytes = b"", most: int = _MOST_WRITTEN) -> bytes:
    return run_limited(store, arguments, given=given, max_bytes=most, max_seconds=_SECONDS)


def _fix(answer: str) -> str:
    if "terminal prompts disabled" in answer or "Authentication" in answer or "Permission denied" in answer:
        return "configure a credential helper or an ssh key for git: babelreg never prompts"
    if "couldn't find remote ref" in answer:
        return "use a branch, a tag or a commit of the repository: ref: main"
    return "check the URL and the network, then run `babelreg update` again"
