"""HTML report of a lake, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.shared.registry_options import shown_folder
from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.model import Registry


def existing_folder(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a file in a folder that does not exist: before a run, not after it."""
    if path is not None and not path.absolute().parent.is_dir():
        raise click.BadParameter(f"the folder of {path} does not exist")
    return path


def check(file: Path | None, *folders: Path) -> None:
    """Raise UsageError for a page in one of ``folders``, where it would be read as messages or as a table."""
    for folder in folders:
        if file is not None and folder.resolve() in file.resolve().parents:
            raise UsageError(
                f"{file} would be inside {folder}, which must not contain other files", fix="choose a file outside it"
            )


def write(file: Path, lake: Path, registry: Registry | None, batch: int | None) -> None:
    """Write the report on ``lake`` to ``file``. Raises UsageError, InputError, OSError."""
    from babelreg.atomic_write import write_whole
    from babelreg.lake.report import ReportPaths, html

    named = shown_folder(registry.root) if registry else ""
    body = html(lake, registry, batch, ReportPaths(str(lake), named or None))
    write_whole(file, body.encode("utf-8", "backslashreplace"))


def write_after_run(file: Path | None, lake: Path, registry: Registry, batch: int | None, style: str) -> None:
    """Write the report of a run where one is wanted: of its batch, of all together where it made none."""
    from babelreg.lake.storage.log.manifest import exists

    if file is not None and batch is None and not exists(lake):
        click.echo("no report: nothing has been ingested yet", err=True)
    elif file is not None:
        write(file, lake, registry, batch)
        click.echo(f"report: {file}", err=style == "json")
