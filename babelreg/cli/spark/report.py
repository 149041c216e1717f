"""``babelreg spark report``: what runs did, as a page to look at and to mail around."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.shared.common_options import LocalPath, examples
from babelreg.cli.shared.registry_options import (
    open_registry,
    registry_option,
    shown_folder,
    sound,
)
from babelreg.cli.spark.options import lake_option
from babelreg.errors import UsageError
from babelreg.report import printable

if TYPE_CHECKING:
    from babelreg.model import Registry

__all__ = ["check", "command", "report_option", "write"]


def _file(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """Said before a run, not after it."""
    if path is not None and not path.absolute().parent.is_dir():
        raise click.BadParameter(f"the folder of {path} does not exist")
    return path


report_option = click.option(
    "--output",
    "report",
    metavar="FILE",
    type=LocalPath(dir_okay=False),
    callback=_file,
    help="Also write the report of this run to FILE, a page of HTML, as `babelreg spark report` does.",
)


@click.command(
    epilog=examples(
        "babelreg spark report --lake lake", "babelreg spark report --lake lake --batch 3 --output batch-3.html"
    )
)
@lake_option
@click.option(
    "--output",
    "file",
    metavar="FILE",
    type=LocalPath(dir_okay=False),
    callback=_file,
    default="report.html",
    show_default=True,
    help="Write the report to FILE, a page of HTML.",
)
@click.option("--batch", metavar="N", type=click.IntRange(1), help="Report on one batch. Default: all batches.")
@registry_option
def command(lake: Path, file: Path, batch: int | None, registry: Path | None) -> None:
    """Write an HTML report: messages read, their results, and what was refused and why.

    It is safe to share: in refused messages, every value is masked unless its schema shows that it is not personal.
    Without a registry, all values are masked. Spark is not started, and running commands are not disturbed.
    """
    check(file, lake)
    loaded: Registry | None
    try:
        loaded = sound(open_registry(registry))
    except UsageError:
        if registry is not None:
            raise
        loaded = None
    write(file, lake, loaded, batch)
    if loaded is None:
        click.echo(
            "no registry found: all values are masked and owners are unknown; set one with --registry DIR", err=True
        )
    click.echo(printable(f"wrote {file}"))


def check(file: Path | None, *folders: Path) -> None:
    """Raise UsageError for a page in one of ``folders``, where it would be read as messages or as a table."""
    for folder in folders:
        if file is not None and folder.resolve() in file.resolve().parents:
            raise UsageError(
                f"{file} would be inside {folder}, which is not for other files", fix="choose a file outside of it"
            )


def write(file: Path, lake: Path, registry: Registry | None, batch: int | None) -> None:
    """Write the report on ``lake`` to ``file``. Raises UsageError, InputError, OSError."""
    from babelreg.atomic_write import write_whole
    from babelreg.spark.report import ReportPaths, html

    named = shown_folder(registry.root) if registry else ""
    body = html(lake, registry, batch, ReportPaths(str(lake), named or None))
    write_whole(file, body.encode("utf-8", "backslashreplace"))
