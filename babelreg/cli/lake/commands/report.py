"""``babelreg lake report``: what runs did, as a page to look at and to mail around."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.lake.html_report import check, existing_folder, write
from babelreg.cli.lake.options import lake_option
from babelreg.cli.shared.common_options import LocalPath, examples
from babelreg.cli.shared.registry_options import open_registry, registry_option, sound, why_without
from babelreg.errors import UsageError
from babelreg.report import printable

if TYPE_CHECKING:
    from babelreg.model import Registry


@click.command(
    epilog=examples(
        "babelreg lake report --lake lake", "babelreg lake report --lake lake --batch 3 --output batch-3.html"
    )
)
@lake_option
@click.option(
    "--output",
    "file",
    metavar="FILE",
    type=LocalPath(dir_okay=False),
    callback=existing_folder,
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
    why = ""
    try:
        loaded = sound(open_registry(registry))
    except UsageError as err:
        if registry is not None:
            raise
        loaded, why = None, why_without(err)
    write(file, lake, loaded, batch)
    if loaded is None:
        note = f"{why}: all values are masked and owners are unknown; set one with --registry DIR"
        click.echo(printable(note), err=True)
    click.echo(printable(f"wrote {file}"))
