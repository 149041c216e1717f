"""``--dry-run`` of ``babelreg lake ingest``, ``redrive`` and ``compact``: no session is started, nothing written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelreg.cli.lake.summary import previewed
from babelreg.plural import counted
from babelreg.report import printable

if TYPE_CHECKING:
    from babelreg.model import Registry


def ingest(source: Path, lake: Path, registry: Registry, style: str, wire: str) -> None:
    """Print the files of ``source`` that a run would read. Raises UsageError, InputError, RegistryError."""
    from babelreg.lake.ingest.run import pending
    from babelreg.lake.ingest.schema_check import spec_of
    from babelreg.sources.input_folder import folder_of

    spec_of(registry, digests=True)
    unread = pending(source, lake, wire=wire)
    folder = folder_of(source)
    files = [{"path": (folder / part.name).as_posix(), "start": part.start, "end": part.end} for part in unread.ranges]
    if style == "json":
        _print_json({"files": files, "known_files": unread.known_files, "bytes": unread.size})
        return
    for part in unread.ranges:
        click.echo(printable(f"would read {(folder / part.name).as_posix()} ({part.end - part.start:,} bytes)"))
    click.echo(
        f"{counted(len(files), 'file')}, {unread.size / 1e6:,.1f} MB; "
        f"{counted(unread.known_files, 'file')} ingested before",
        err=True,
    )


def redrive(lake: Path, registry: Registry, reasons: Sequence[str], urns: Sequence[str], style: str) -> None:
    """Print how many messages would pass now, by reason. Raises UsageError, InputError, RegistryError."""
    from babelreg.lake.operations.redrive_preview import preview

    found = preview(lake, registry, reasons=reasons, urns=urns)
    if style == "json":
        _print_json(found.as_json())
        return
    click.echo("\n".join(printable(line) for line in previewed(found, str(lake))))


def compact(lake: Path, at_least: int, style: str) -> None:
    """Print the tables whose small files a run would merge. Raises UsageError, InputError."""
    from babelreg.lake.ingest.compaction import pending

    due = pending(lake, at_least=at_least)
    if style == "json":
        _print_json({"files": {table: len(names) for table, names in due.items()}})
        return
    for table, names in due.items():
        click.echo(printable(f"would compact {counted(len(names), 'file')} of {table}"))
    if not due:
        click.echo("nothing to compact: no table has enough small files", err=True)


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _print_json(value: dict[str, Any]) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))
