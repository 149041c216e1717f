"""Output of minted files, to disk and to the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from babelreg.atomic_write import write_all
from babelreg.errors import UsageError


def preview(diff: bool, dry_run: bool) -> str | None:
    """Return ``diff`` or ``dry-run`` where nothing is to be written, else None."""
    return "diff" if diff else "dry-run" if dry_run else None


def write(
    root: Path,
    folder: str,
    files: Mapping[str, str],
    notes: Sequence[str],
    *,
    quiet: bool = False,
    preview: str | None = None,
) -> None:
    """Write ``files`` below ``root`` in their order; those that changed are listed, below ``folder``, on stdout.

    With ``quiet`` they are listed on stderr, as the notes are: stdout is for something else then. With ``preview``
    nothing is written: they are only listed (``dry-run``), or shown as one diff (``diff``), and the notes follow a line
    that says so, since they describe the files as written.
    """
    from babelreg.report import printable

    inside = root.resolve()
    for path in files:
        # A folder may be a link that leads elsewhere, and a registry is not trusted.
        if not (root / path).parent.resolve().is_relative_to(inside):
            fix = f"make {path.partition('/')[0]} a folder of the registry"
            raise UsageError(f"{root / path} is outside the registry; nothing was written", fix=fix)
    changed = [path for path, text in files.items() if _differs(root / path, text)]
    if not preview:
        _write({root / path: files[path].encode() for path in changed})
    for path in changed:
        name = printable(f"{folder}/{path}" if folder else path)
        if preview == "diff":
            click.echo(_diff(root / path, name, files[path]), nl=False)
        else:
            click.echo(name, err=quiet)
    if preview and notes:
        click.echo(f"nothing was written; without --{preview}:", err=True)
    for note in notes:
        click.echo(printable(note), err=True)


def _diff(path: Path, name: str, text: str) -> str:
    from babelreg.report.unified_diff import unified

    try:
        old = path.read_bytes().decode("utf-8", "replace") if path.is_file() else None
    except OSError as err:
        raise UsageError(f"cannot read {path}: {err.strerror}", fix="make it readable") from err
    diff = unified(name, old or "", text)
    return diff if old is not None else diff.replace(f"--- a/{name}\n", "--- /dev/null\n", 1)


def _differs(path: Path, text: str) -> bool:
    try:
        return not (path.is_file() and path.read_bytes() == text.encode())
    except OSError as err:
        raise UsageError(f"cannot read {path}: {err.strerror}", fix="make it readable") from err


def _write(files: Mapping[Path, bytes]) -> None:
    """Write all files or none, with the permissions they had. A half-minted version would block the next attempt."""
    try:
        for folder in {path.parent for path in files}:
            folder.mkdir(exist_ok=True)
        write_all(files)
    except OSError as err:
        fix = "make the folder writable, and free space on it"
        raise UsageError(f"cannot write {err.filename}: {err.strerror}; nothing was written", fix=fix) from err
