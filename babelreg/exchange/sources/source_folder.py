"""The files of an import: those named, or all JSON and YAML files below a folder.

Nothing outside the folder of the sources is ever opened, also not through a symbolic link.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from babelreg.errors import UsageError
from babelreg.exchange.findings import import_finding
from babelreg.exchange.sources.source_document import SourceDocument
from babelreg.finding import Finding, Place, shown_folder
from babelreg.load.files.defect import Defect
from babelreg.load.files.registry_paths import SETTINGS
from babelreg.load.files.tree import MAX_BYTES, Folder

MOST_FILES = 100_000
MOST_BYTES = 32 << 20
MOST_REPEATED = 100
"""Findings of repeated keys in a file."""
_SUFFIXES = (".json", ".yaml", ".yml", ".jsonschema", ".schema", ".avsc")
_WITHOUT_SUFFIX = re.compile(r"[^.]+|[^.]*(?:\.\d+)+")
"""Names such as ``1-0-0`` or ``order.2.0``: what begins with ``{`` may be a schema."""
_SKIPPED = frozenset({"node_modules", "__pycache__"})


class SourceTree(Protocol):
    """Files by path: a folder on disk, or a revision of it."""

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return the bytes of one file. Raises Defect, FileNotFoundError."""
        ...


@dataclass
class SourceFolder:
    """The files that were read: those below ``folders``, and those ``named`` one by one.

    ``relative``: the places of findings are relative to ``root``, not to the current folder.
    """

    root: Path
    folders: tuple[Path, ...] = ()
    documents: list[SourceDocument] = field(default_factory=list)
    named: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)

    excluded: str | None = None
    relative: bool = False

    def holds(self, path: str) -> bool:
        """Return True where there is a file at ``path`` that may be read."""
        full = os.path.realpath(self.root / path)
        if self.excluded is not None and f"{full}/".startswith(f"{self.excluded}/"):
            return False
        return not path.startswith("../") and (self.root / path).is_file()

    def read(self, path: str) -> list[SourceDocument]:
        """Read one more file; return it, or nothing where it cannot be read."""
        before = len(self.documents)
        _read(self, Folder(self.root), path)
        return self.documents[before:]

    def shown(self, path: str) -> str:
        """Return ``path`` as a person opens it."""
        prefix = "" if self.relative else shown_folder(self.root)
        return posixpath.normpath(f"{prefix}/{path}") if prefix else path


def read_sources(paths: Sequence[Path], *, outside: Path | None = None) -> SourceFolder:
    """Read the files at ``paths`` and below the folders there, without those in the folder ``outside``.

    Raises UsageError for a path that does not exist, or too many files.
    """
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path} does not exist", fix="name a file or folder of schemas")
    absolute = [Path(os.path.abspath(path)) for path in paths]  # noqa: PTH100 - links stay as they are named
    root = Path(os.path.commonpath([path if path.is_dir() else path.parent for path in absolute]))
    folder = SourceFolder(root, tuple(path for path in absolute if path.is_dir()))
    tree = Folder(root)
    folder.excluded = excluded = str(outside.resolve()) if outside is not None else None
    listed: dict[str, None] = {}
    for path in absolute:
        if path.is_dir():
            for name in _below(str(path), excluded):
                listed[Path(name).relative_to(root).as_posix()] = None
        else:
            name = path.relative_to(root).as_posix()
            folder.named.add(name)
            listed[name] = None
        if len(listed) > MOST_FILES:
            raise UsageError(f"{path} contains more than {MOST_FILES:,} files", fix="name a folder below it")
    for name in sorted(listed):
        if name in folder.named or _may_be_json(tree, name):
            _read(folder, tree, name)
    return folder


def read_tree(root: Path, tree: SourceTree, paths: Iterable[str], named: Collection[str] = ()) -> SourceFolder:
    """Read the files at ``paths``, relative to ``root``, from ``tree``. ``named`` are those given one by one."""
    folder = SourceFolder(root, (root,), named=set(named), relative=True)
    for path in sorted(paths):
        if path in folder.named or _may_be_json(tree, path):
            _read(folder, tree, path)
    return folder


def listed_sources(root: Path) -> list[str]:
    """Return the files below the folder ``root`` that may be schemas or examples, relative to it."""
    return [Path(name).relative_to(root).as_posix() for name in _below(str(root), None)]


def sources_among(paths: Iterable[str], named: Collection[str] = ()) -> list[str]:
    """Return those of ``paths`` that may be schemas or examples, without those of registries and of hidden folders.

    Those that are ``named`` one by one may have any name.
    """
    every = list(paths)
    registries = tuple(path.removesuffix(SETTINGS) for path in every if path.endswith(f"/{SETTINGS}"))
    taken = (path for path in every if is_source(path) or path in named)
    return [path for path in taken if path != SETTINGS and not path.startswith(registries)]


def is_source(path: str) -> bool:
    """Return True for a path, relative to the folder of the sources, of a file that may be a schema or an example."""
    steps = path.split("/")
    hidden = any(step.startswith(".") or step in _SKIPPED for step in steps)
    return not hidden and (path.lower().endswith(_SUFFIXES) or _WITHOUT_SUFFIX.fullmatch(steps[-1]) is not None)


def _may_be_json(tree: SourceTree, path: str) -> bool:
    """Return False for a file without suffix that does not begin like a JSON object, as most such files."""
    if path.lower().endswith(_SUFFIXES):
        return True
    try:
        return tree.read(path, MOST_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    except (Defect, FileNotFoundError):
        return False


def _read(folder: SourceFolder, tree: SourceTree, name: str) -> None:
    shown = folder.shown(name)
    try:
        document = SourceDocument(name, shown, tree.read(name, MOST_BYTES))
    except FileNotFoundError:
        message, place, fix = "the link points to no file", Place(shown), "remove the link"
    except Defect as defect:
        message, place, fix = defect.message, Place(shown, defect.line, defect.column), defect.fix_of(shown) or ""
        if defect.rule == "ref-outside-registry":
            message, fix = "this link points outside the source folder", "copy the file into the folder"
    else:
        folder.documents.append(document)
        folder.findings += [_repeated(key, place) for key, place in document.repeated_keys[:MOST_REPEATED]]
        return
    folder.findings.append(import_finding("import-file-unread", message, place, fix=fix or None))


def _repeated(key: str, place: Place) -> Finding:
    message = f"the key '{key[:100]}' is already in this object; only the last one counts"
    return import_finding("import-key-repeated", message, place, fix="remove one of them, or rename it")


def _below(top: str, excluded: str | None) -> Iterator[str]:
    """Yield the files below ``top`` that may be schemas or examples. Links to folders are not followed."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        if excluded is not None and os.path.realpath(folder) == excluded:
            continue
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.name in _SKIPPED:
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif entry.name.lower().endswith(_SUFFIXES) or _WITHOUT_SUFFIX.fullmatch(entry.name):
                yield entry.path
