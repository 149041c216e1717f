"""Edits of the registry's files by a command: written, or printed as a diff."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from babelreg.load.registry.overlay import FileChange


def write(root: Path, changes: Mapping[str, FileChange]) -> None:
    """Save ``changes`` in the registry ``root``. Raises InputError."""
    from babelreg.load.registry.overlay import save

    save(root, changes)


def show(folder: str, changes: Mapping[str, FileChange]) -> None:
    """Print ``changes`` as one diff; ``folder`` is put before their paths."""
    from babelreg.load.registry.document import decode
    from babelreg.report import printable
    from babelreg.report.unified_diff import unified

    for path, change in changes.items():
        name = printable(f"{folder}/{path}" if folder else path)
        text = unified(name, decode(change.old), decode(change.new))
        if sys.stdout.isatty():  # what is piped into `git apply` must be as it is
            text = "".join(f"{printable(line)}\n" for line in text.split("\n")[:-1])
        click.echo(text, nl=False)
