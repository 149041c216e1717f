"""Generated files and the disk: write what changed, remove what is no longer made, or only compare.

A list of what was written lies beside the files (:mod:`babelreg.gen.file_list`), so that a later run can remove what it
no longer makes. A file is ours when it is in that list or carries the mark of a generated file; no other file is ever
replaced or removed, and none that a link leads to outside the output folder. The list names its maker too: what the
same maker wrote, and is sealed, is not made again only to be compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from babelreg.atomic_write import write_whole
from babelreg.errors import UsageError
from babelreg.finding import Finding, Place, Severity
from babelreg.gen.file_list import (
    FileList,
    listed_paths,
    listing,
    made_by,
    without,
)
from babelreg.gen.seal import holds, sealed
from babelreg.gen.target import MARK, File, collect

__all__ = ["WriteResult", "check", "complete", "listing", "write"]

_HEAD_BYTES = 2048


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What a run did: paths relative to the output folder, sorted."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]


def complete(target: str | FileList, files: Iterable[File], maker: str | None = None) -> dict[str, File]:
    """``files`` by path, and the list of them. Raises BabelregError where two get in each other's way."""
    own = _listing(target)
    wanted = collect(files)
    return {**wanted, own.path: File(own.path, own.text(wanted, maker))}


def write(
    out: Path, target: str | FileList, files: Iterable[File], maker: str | None = None, *, anew: bool = False
) -> WriteResult:
    """Bring ``out`` to hold exactly ``files``; a file is touched only when its bytes change.

    ``target`` names the list of files: a bare name is that of a list in ``out`` which leaves the registry open.
    ``maker`` tells this very generator from any other; without it, or ``anew``, every file is made and compared. Raises
    UsageError, before anything is written, where a file that is not ours is in the way, a link leads out of ``out``,
    or the files there were made from another registry.
    """
    own = _listing(target)
    wanted = complete(own, files, maker)
    before = _listed(out, own)
    _refuse_links(out, wanted)
    behind = _behind(out, own, wanted, None if anew else maker)
    if behind.keys() - {own.path} or not wanted.keys() >= set(before):
        own.require_same_registry(out, _read(out / own.path) or b"")
    for path, old in behind.items():
        if not (path in before or path == own.path or old is None or _marked(old)):
            raise UsageError(
                f"{out / path} stands in the way: babelreg did not write it",
                fix="move it, or choose another folder with --out",
            )
    for path in sorted(behind, key=lambda path: path == own.path):  # the list last: it describes the rest
        _put(out / path, _bytes(wanted[path]))
    removed = [path for path in before if path not in wanted and _remove(out, path)]
    _leave_shared_list(out, own)
    shown = [path for path in wanted if path != own.path]
    return WriteResult(
        written=tuple(sorted(path for path in shown if path in behind)),
        unchanged=tuple(sorted(path for path in shown if path not in behind)),
        removed=tuple(sorted(removed)),
    )


def check(
    out: Path,
    target: str | FileList,
    files: Iterable[File],
    fix: str,
    maker: str | None = None,
    *,
    anew: bool = False,
) -> list[Finding]:
    """How ``out`` differs from ``files``: one finding per file that is missing, stale or no longer made.

    ``fix`` is the command that would mend it; ``target``, ``maker`` and ``anew`` as in :func:`write`. Raises UsageError
    where a link leads out of ``out``, or the files there differ and were made from another registry.
    """
    own = _listing(target)
    wanted = complete(own, files, maker)
    _refuse_links(out, wanted)
    findings = []
    for path, old in _behind(out, own, wanted, None if anew else maker).items():
        if old is None:
            findings.append(_finding("generated-file-missing", out / path, "the file is missing", fix))
        elif path != own.path or listed_paths(old) != listed_paths(_bytes(wanted[path])):
            problem = "the file is not what the registry gives now"
            findings.append(_finding("generated-file-stale", out / path, problem, fix))
    for path in _listed(out, own):
        if path not in wanted and _removable(out, path):
            findings.append(_finding("generated-file-extra", out / path, "the registry no longer gives this file", fix))
    if findings:
        own.require_same_registry(out, _read(out / own.path) or b"")
    return sorted(findings, key=lambda finding: finding.sort_key)


def _listing(target: str | FileList) -> FileList:
    return FileList(target) if isinstance(target, str) else target


def _behind(out: Path, own: FileList, wanted: dict[str, File], maker: str | None) -> dict[str, bytes | None]:
    """Files on disk that differ from ``wanted``, with their bytes; None for a file that is missing."""
    known = maker is not None and made_by(maker).encode() in (_read(out / own.path) or b"").splitlines()
    found: dict[str, bytes | None] = {}
    for path, file in wanted.items():
        old = _read(out / path)
        if known and old is not None and file.line is not None and holds(path, old, file.line):
            continue
        if old != _bytes(file):
            found[path] = old
    return found


def _listed(out: Path, own: FileList) -> list[str]:
    """The paths that an earlier run wrote, from the list of ``own``.

    A list in a folder of its own names files of that folder alone. Where there is none yet, an earlier version listed
    the package's files in a list that all packages shared, in the output folder.
    """
    content = _read(out / own.path)
    if content is None and own.folder:
        content = _read(out / listing(own.target))
    inside = f"{own.folder}/" if own.folder else ""
    return [path for path in listed_paths(content or b"") if path.startswith(inside)]


def _leave_shared_list(out: Path, own: FileList) -> None:
    """Take the paths of ``own`` out of the list in the output folder that earlier versions wrote for all packages."""
    shared = out / listing(own.target)
    content = _read(shared) if own.folder and not shared.is_symlink() else None
    if content is None or not _marked(content):
        return
    rest = without(content, own.folder)
    if rest is None:
        shared.unlink()
    elif rest != content:
        _put(shared, rest)


def _refuse_links(out: Path, paths: Iterable[str]) -> None:
    """Raise UsageError where a folder of ``paths`` is a link that leads out of ``out``."""
    for folder in sorted({(out / path).parent for path in paths}):
        if not _within(out, folder):
            raise UsageError(
                f"{folder} is, or lies below, a link that leads out of {out}",
                fix="remove the link, or name the folder that it leads to with --out",
            )


def _within(out: Path, folder: Path) -> bool:
    try:
        top, at = out.resolve(), folder.resolve()
    except (OSError, RuntimeError):  # links that lead in a circle
        return False
    return at == top or top in at.parents


def _bytes(file: File) -> bytes:
    return (file.text if file.line is None else sealed(file.path, file.text, file.line)).encode()


def _finding(rule: str, path: Path, problem: str, fix: str) -> Finding:
    place = Place(path.as_posix())
    return Finding(rule, Severity.ERROR, problem, place, fix=f"run `{fix}`")


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder; a generated file belongs there", fix="move it away") from None
    except OSError as err:
        raise UsageError(f"{path} cannot be read: {err.strerror}") from err


def _marked(content: bytes) -> bool:
    return MARK.encode() in content[:_HEAD_BYTES]


def _put(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except OSError as err:
        raise UsageError(f"{path} cannot be written: {err.strerror}", fix="choose another folder with --out") from err


def _removable(out: Path, path: str) -> bool:
    # A file of ours that someone replaced by their own text has lost the mark. JSON has no comments and so no mark, and
    # where nothing is, as in py.typed, nothing is lost.
    target = out / path
    if target.is_symlink() or not target.is_file() or not _within(out, target.parent):
        return False
    content = target.read_bytes()
    return target.suffix == ".json" or not content or _marked(content)


def _remove(out: Path, path: str) -> bool:
    if not _removable(out, path):
        return False
    target = out / path
    target.unlink()
    for parent in target.relative_to(out).parents:
        folder = out / parent
        cached = folder / "__pycache__"
        if folder == out:
            break
        if cached.is_dir() and [entry.name for entry in folder.iterdir()] == ["__pycache__"]:
            for compiled in cached.glob("*.pyc"):
                compiled.unlink()
            if not any(cached.iterdir()):
                cached.rmdir()
        if any(folder.iterdir()):
            break
        folder.rmdir()
    return True
