"""What was minted, on the disk and on the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from babelreg.errors import UsageError
from babelreg.load.whole_file import write_whole

__all__ = ["write"]


def write(root: Path, shown: str, files: Mapping[str, str], notes: Sequence[str], *, quiet: bool = False) -> None:
    """Write ``files`` below ``root`` in their order; those that changed are listed, below ``shown``, on stdout.

    With ``quiet`` they are listed on stderr, as the notes are: stdout is for something else then.
    """
    from babelreg.report import printable

    inside = root.resolve()
    for path in files:
        # A folder may be a link that leads elsewhere, and a registry is not trusted.
        if not (root / path).parent.resolve().is_relative_to(inside):
            fix = f"make {path.partition('/')[0]} a folder of the registry"
            raise UsageError(f"{root / path} lies outside the registry; nothing was written", fix=fix)
    for path, text in files.items():
        if _write(root / path, text):
            click.echo(printable(f"{shown}/{path}" if shown else path), err=quiet)
    for note in notes:
        click.echo(printable(note), err=True)


def _write(path: Path, text: str) -> bool:
    """The whole file or nothing of it, with the permissions it had. False where it says so already."""
    body = text.encode()
    try:
        if path.is_file() and path.read_bytes() == body:
            return False
        write_whole(path, body)
    except OSError as err:
        raise UsageError(f"cannot write {path}: {err.strerror}", fix="make the folder writable") from err
    return True
