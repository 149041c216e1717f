"""The commits that changed files of a folder, newest first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babelreg.git.command import GitCommand, GitError

RawCommit = tuple[str, str, str, str, tuple[str, ...]]
"""Id, day in UTC, author, subject, changed files relative to the folder."""

_START = re.compile("\x01[0-9a-f]{40,64}\\Z")
_FORMAT = "--format=%x01%H%x00%at%x00%aN%x00%s%x00"
_OPTIONS = ("--name-only", "-z", "--relative", "--no-renames", "--no-notes", "--no-color", "--no-ext-diff",
            "--no-textconv", "--no-show-signature", "--encoding=UTF-8")  # fmt: skip


def position(folder: Path) -> tuple[str, bool] | None:
    """Return the commit of HEAD and whether the clone is shallow; None where there is no commit or no repository."""
    try:
        lines = GitCommand("-C", str(folder)).run("rev-parse", "HEAD", "--is-shallow-repository").decode().split()
    except GitError:
        return None
    return lines[0], lines[1] == "true"


def commits(folder: Path) -> list[RawCommit]:
    """Return the commits up to HEAD that changed a file below ``folder``. Raises GitError where git cannot say."""
    return list(_parsed(GitCommand("-C", str(folder)).fields("log", *_OPTIONS, _FORMAT, "HEAD", "--", ".")))


def _parsed(fields: Iterator[bytes]) -> Iterator[RawCommit]:
    head: list[str] = []
    paths: list[str] = []
    for field in fields:
        text = field.decode("utf-8", "replace").removeprefix("\n")
        if 0 < len(head) < 4:
            head.append(text)
        elif _START.match(text):
            if head:
                yield _commit(head, paths)
            head, paths = [text[1:]], []
        elif text:
            paths.append(text)
    if head:
        yield _commit(head, paths)


def _commit(head: list[str], paths: list[str]) -> RawCommit:
    commit, seconds, author, subject = head
    return commit, datetime.fromtimestamp(int(seconds), UTC).date().isoformat(), author, subject, tuple(paths)
