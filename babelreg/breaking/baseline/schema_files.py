"""Published files of a folder of plain schemas: those of a git revision, or of another folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from babelreg.breaking.baseline import archive, revision
from babelreg.breaking.baseline.blob_trees import CommitTree
from babelreg.breaking.baseline.repository import Repository
from babelreg.errors import UsageError
from babelreg.git.command import GitError
from babelreg.load.files.tree import Folder


class PublishedFiles(NamedTuple):
    """The ``paths`` in ``tree``. ``headline`` is the first line of a report: what is compared with."""

    headline: str
    tree: Folder | CommitTree
    paths: Sequence[str]


def published_files(
    root: Path, against: str | None, used: Callable[[str], bool], listed: Callable[[Path], Sequence[str]]
) -> PublishedFiles:
    """Return the files that ``against`` names of the folder ``root``.

    ``used`` says which paths count; ``listed`` returns those in a folder on disk. Raises UsageError, with a fix, where
    there is nothing of that name.
    """
    git = Repository(root)
    if against is not None:
        if "#" in against or archive.is_archive(Path(against)):
            message = f"--against {against}: plain schemas are compared with a git revision or a folder"
            raise UsageError(message, fix="name a branch, a tag or a commit; or unpack the archive: --against DIR")
        if os.path.isdir(against) and git.commit(against) is None:  # noqa: PTH112 - other than Path's, it never raises
            headline = f"compared with the folder {against} as it is now"
            return PublishedFiles(headline, Folder(against), listed(Path(against)))
    revision.check_repository(git, root)
    try:
        commit, name = revision.resolve(git, against, revision.Compared("set of schemas", used))
        published = CommitTree(git, commit, git.prefix, used)
        paths = list(published.ids)
    except GitError as err:
        raise git.unreadable(err) from err
    return PublishedFiles(_headline(commit, name, git.prefix, paths), published, paths)


def _headline(commit: str | None, name: str, prefix: str, paths: Sequence[str]) -> str:
    if paths:
        return f"compared with {name}"
    if commit is None:
        return f"compared with {name}: every schema is new"
    return f"compared with {name}, which has no file at {prefix or 'the top'}: every schema is new"
