"""Generated files and the disk: write what changed, remove what is no longer made, or only compare.

A list of what was written stands beside the files (``.babelreg-<target>.files``), so that a later run can remove
what it no longer makes. A file is ours when it is in that list or carries the mark of a generated file; no other
file is ever replaced or removed. The list names its maker too: what the same maker wrote, and is sealed, is not made
again only to be compared.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from babelreg.errors import UsageError
from babelreg.finding import Finding, Place, Severity
from babelreg.gen.seal import holds, sealed
from babelreg.gen.target import MARK, File, collect

__all__ = ["Written", "check", "complete", "listing", "write"]

_HEAD_BYTES = 2048


@dataclass(frozen=True, slots=True)
class Written:
    """What a run did: paths relative to the output folder, sorted."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]


def listing(target: str) -> str:
    """The name of the file that lists what ``target`` wrote into a folder."""
    return f".babelreg-{target}.files"


def complete(target: str, files: Iterable[File], maker: str | None = None) -> dict[str, File]:
    """``files`` by path, and the list of them. Raises BabelregError where two get in each other's way."""
    wanted = collect(files)
    lines = "".join(f"{path}\n" for path in sorted(wanted))
    head = f"# {MARK}: what `babelreg gen {target}` wrote here. A later run removes what it no longer makes.\n"
    made_by = f"{_made_by(maker).decode()}\n" if maker is not None else ""
    return {**wanted, listing(target): File(listing(target), head + made_by + lines)}


def write(out: Path, target: str, files: Iterable[File], maker: str | None = None, *, anew: bool = False) -> Written:
    """Bring ``out`` to hold exactly ``files``; a file is touched only when its bytes change.

    ``maker`` tells this very generator from any other; without it, or ``anew``, every file is made and compared. Raises
    UsageError, before anything is written, where a file that is not ours stands in the way.
    """
    wanted = complete(target, files, maker)
    before = _listed(out, target)
    behind = _behind(out, target, wanted, None if anew else maker)
    for path, old in behind.items():
        if not (path in before or path == listing(target) or old is None or _marked(old)):
            raise UsageError(
                f"{out / path} stands in the way: babelreg did not write it",
                fix="move it, or choose another folder with --out",
            )
    for path in sorted(behind, key=lambda path: path == listing(target)):  # the list last: it describes the rest
        _put(out / path, _bytes(wanted[path]))
    removed = [path for path in before if path not in wanted and _remove(out, path)]
    shown = [path for path in wanted if path != listing(target)]
    return Written(
        written=tuple(sorted(path for path in shown if path in behind)),
        unchanged=tuple(sorted(path for path in shown if path not in behind)),
        removed=tuple(sorted(removed)),
    )


def check(
    out: Path, target: str, files: Iterable[File], fix: str, maker: str | None = None, *, anew: bool = False
) -> list[Finding]:
    """How ``out`` differs from ``files``: one finding per file that is missing, stale or no longer made.

    ``fix`` is the command that would mend it, ``maker`` and ``anew`` as in :func:`write`.
    """
    wanted = complete(target, files, maker)
    findings = []
    for path, old in _behind(out, target, wanted, None if anew else maker).items():
        if old is None:
            findings.append(_finding("generated-file-missing", out / path, "the file is missing", fix))
        elif path != listing(target) or _lines(old) != _lines(_bytes(wanted[path])):
            problem = "the file is not what the registry gives now"
            findings.append(_finding("generated-file-stale", out / path, problem, fix))
    for path in _listed(out, target):
        if path not in wanted and _removable(out, path):
            findings.append(_finding("generated-file-extra", out / path, "the registry no longer gives this file", fix))
    return sorted(findings, key=lambda finding: finding.sort_key)


def _behind(out: Path, target: str, wanted: dict[str, File], maker: str | None) -> dict[str, bytes | None]:
    """What stands where other bytes are wanted; None where nothing does."""
    known = maker is not None and _made_by(maker) in (_read(out / listing(target)) or b"").splitlines()
    found: dict[str, bytes | None] = {}
    for path, file in wanted.items():
        old = _read(out / path)
        if known and old is not None and file.line is not None and holds(path, old, file.line):
            continue
        if old != _bytes(file):
            found[path] = old
    return found


def _bytes(file: File) -> bytes:
    return (file.text if file.line is None else sealed(file.path, file.text, file.line)).encode()


def _finding(rule: str, path: Path, problem: str, fix: str) -> Finding:
    place = Place(path.as_posix())
    return Finding(rule, Severity.ERROR, problem, place, fix=f"run `{fix}`")


def _made_by(maker: str) -> bytes:
    return f"# made by {maker}".encode()


def _listed(out: Path, target: str) -> list[str]:
    return [line for line in _lines(_read(out / listing(target)) or b"") if _inside(line)]


def _lines(content: bytes) -> list[str]:
    """The paths that a list names."""
    return [line for line in content.decode("utf-8", "replace").splitlines() if line and not line.startswith("#")]


def _inside(path: str) -> bool:
    # The list stands in a checked-in folder: a line that would lead out of it was not written by us.
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts and "\\" not in path and ":" not in path


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
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".babelreg-", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            Path(temporary).chmod(0o666 & ~_UMASK)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as err:
        raise UsageError(f"{path} cannot be written: {err.strerror}", fix="choose another folder with --out") from err


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current


_UMASK = _umask()


def _removable(out: Path, path: str) -> bool:
    # A file of ours that someone replaced by their own text has lost the mark. JSON has no comments and so no mark, and
    # where nothing is, as in py.typed, nothing is lost.
    target = out / path
    if target.is_symlink() or not target.is_file():
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
