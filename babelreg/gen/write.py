"""Writing of generated files: write changed files, remove obsolete ones, or only compare.

A list of the generated files (:mod:`babelreg.gen.file_list`) in their folder lets a later run remove obsolete ones. A
file is ours if it is in that list or has the mark of a generated file; no other file is ever replaced or removed, and
no file that a link leads to outside the output folder. The list also has the fingerprint of its generator: an unedited
file of the same generator is not generated again for the comparison.
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
    generator_line,
    list_name,
    listed_paths,
    without_folder,
)
from babelreg.gen.seal import is_sealed, sealed
from babelreg.gen.target import MARK, File, files_by_path

_HEAD_BYTES = 2048


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The result of a run: paths relative to the output folder, sorted."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]


def with_list(target: str | FileList, files: Iterable[File], generator: str | None = None) -> dict[str, File]:
    """Return ``files`` by path, and the list of them. Raises BabelregError for two files with the same path."""
    file_list = _file_list(target)
    by_path = files_by_path(files)
    if by_path and all(file.edit for file in by_path.values()):
        return by_path
    return {**by_path, file_list.path: File(file_list.path, file_list.text(by_path, generator))}


def write(
    out: Path, target: str | FileList, files: Iterable[File], generator: str | None = None, *, anew: bool = False
) -> WriteResult:
    """Write ``files`` to ``out`` and remove obsolete ones; a file is written only if its bytes change.

    ``target`` is the list of files; a name selects a list in ``out`` that accepts every registry. ``generator`` is
    the fingerprint of this generator; without it, or with ``anew``, every file is generated and compared. Raises
    UsageError, before a file is written, if a file that is not ours would be replaced, a link leads out of ``out``, or
    the files there were generated from another registry.
    """
    file_list = _file_list(target)
    expected = with_list(file_list, files, generator)
    listed = _listed(out, file_list)
    _refuse_links(out, expected)
    outdated = _outdated(out, file_list, expected, None if anew else generator)
    if outdated.keys() - {file_list.path} or not expected.keys() >= set(listed):
        file_list.require_same_registry(out, _read(out / file_list.path) or b"")
    for path, old in outdated.items():
        ours = expected[path].edit is not None or path in listed or path == file_list.path
        if not (ours or old is None or _marked(old)):
            raise UsageError(
                f"{out / path} exists, but was not written by babelreg",
                fix="move it, or choose another folder with --out",
            )
    # A text that cannot be made leaves the folder as it was.
    contents = {path: _bytes(expected[path], old) for path, old in outdated.items()}
    made: set[str] = set()
    for path in sorted(outdated, key=lambda path: path == file_list.path):  # the list last: it describes the rest
        folder = path.rpartition("/")[0]
        if folder not in made:
            _make(out / folder)
            made.add(folder)
        _put(out / path, contents[path])
    removed = [path for path in listed if path not in expected and _remove(out, path)]
    _leave_shared_list(out, file_list)
    generated = [path for path in expected if path != file_list.path]
    return WriteResult(
        written=tuple(sorted(path for path in generated if path in outdated)),
        unchanged=tuple(sorted(path for path in generated if path not in outdated)),
        removed=tuple(sorted(removed)),
    )


def check(
    out: Path,
    target: str | FileList,
    files: Iterable[File],
    fix: str,
    generator: str | None = None,
    *,
    anew: bool = False,
) -> list[Finding]:
    """Compare ``out`` with ``files``: return one finding per missing, stale or obsolete file.

    ``fix`` is the command that writes them; ``target``, ``generator`` and ``anew`` as in :func:`write`. Raises
    UsageError if a link leads out of ``out``, or if the files there differ and were generated from another registry.
    """
    file_list = _file_list(target)
    expected = with_list(file_list, files, generator)
    _refuse_links(out, expected)
    findings = []
    for path, old in _outdated(out, file_list, expected, None if anew else generator).items():
        if old is None:
            findings.append(_finding("generated-file-missing", out / path, "the file is missing", fix))
        elif path != file_list.path or listed_paths(old) != listed_paths(_bytes(expected[path])):
            problem = "the file does not match the registry"
            findings.append(_finding("generated-file-stale", out / path, problem, fix))
    for path in _listed(out, file_list):
        if path not in expected and _removable(out, path):
            problem = "the registry no longer generates this file"
            findings.append(_finding("generated-file-extra", out / path, problem, fix))
    if findings:
        file_list.require_same_registry(out, _read(out / file_list.path) or b"")
    return sorted(findings, key=lambda finding: finding.sort_key)


def _file_list(target: str | FileList) -> FileList:
    return FileList(target) if isinstance(target, str) else target


def _outdated(
    out: Path, file_list: FileList, expected: dict[str, File], generator: str | None
) -> dict[str, bytes | None]:
    """Return the files on disk that differ from ``expected``, with their bytes; None for a missing file."""
    content = _read(out / file_list.path) or b""
    same_generator = generator is not None and generator_line(generator).encode() in content.splitlines()
    outdated: dict[str, bytes | None] = {}
    nothing = not out.exists()
    for path, file in expected.items():
        old = None if nothing else _read(out / path)
        header_line = file.header_line if same_generator else None
        if old is not None and header_line is not None and is_sealed(path, old, header_line):
            continue
        if old is None or old != _bytes(file, old):
            outdated[path] = old
    return outdated


def _listed(out: Path, file_list: FileList) -> list[str]:
    """Return the paths that an earlier run wrote, according to its list.

    The list of a package has only files of its folder. If it does not exist, the package's files may be in the list
    that an earlier version of babelreg wrote to the output folder for all packages.
    """
    content = _read(out / file_list.path)
    if content is None and file_list.folder:
        content = _read(out / list_name(file_list.target))
    prefix = f"{file_list.folder}/" if file_list.folder else ""
    return [path for path in listed_paths(content or b"") if path.startswith(prefix)]


def _leave_shared_list(out: Path, file_list: FileList) -> None:
    """Remove the paths of ``file_list`` from the list that earlier versions wrote for all packages."""
    shared = out / list_name(file_list.target)
    content = _read(shared) if file_list.folder and not shared.is_symlink() else None
    if content is None or not _marked(content):
        return
    rest = without_folder(content, file_list.folder)
    if rest is None:
        shared.unlink()
    elif rest != content:
        _put(shared, rest)


def _refuse_links(out: Path, paths: Iterable[str]) -> None:
    """Raise UsageError if a folder of ``paths`` is a link that leads out of ``out``."""
    if not out.exists():
        return
    for folder in sorted({(out / path).parent for path in paths}):
        if not _within(out, folder):
            raise UsageError(
                f"{folder} is, or is below, a link that points outside {out}",
                fix="remove the link, or pass the folder that it points to with --out",
            )


def _within(out: Path, folder: Path) -> bool:
    try:
        top, resolved = out.resolve(), folder.resolve()
    except (OSError, RuntimeError):  # a cycle of links
        return False
    return resolved == top or top in resolved.parents


def _bytes(file: File, old: bytes | None = None) -> bytes:
    """Return the bytes to write; ``old`` are those on disk."""
    if file.edit is not None:
        return file.edit(old or b"")
    return (file.text if file.header_line is None else sealed(file.path, file.text, file.header_line)).encode()


def _finding(rule: str, path: Path, problem: str, fix: str) -> Finding:
    place = Place(path.as_posix())
    return Finding(rule, Severity.ERROR, problem, place, fix=f"run `{fix}`")


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder, but a generated file needs this path", fix="move it away") from None
    except OSError as err:
        raise UsageError(f"{path} cannot be read: {err.strerror}") from err


def _marked(content: bytes) -> bool:
    return MARK.encode() in content[:_HEAD_BYTES]


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as err:
        raise UsageError(f"{folder} cannot be written: {err.strerror}", fix="choose another folder with --out") from err


def _put(path: Path, content: bytes) -> None:
    try:
        write_whole(path, content)
    except OSError as err:
        raise UsageError(f"{path} cannot be written: {err.strerror}", fix="choose another folder with --out") from err


def _removable(out: Path, path: str) -> bool:
    # A generated file that a user replaced has lost the mark. JSON has no comments and so no mark, and an empty file
    # such as py.typed has nothing to lose.
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
