"""``babelreg lake compact``: the small files of tables merged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.lake import dry_run as preview
from babelreg.cli.lake import session
from babelreg.cli.lake.options import engine_option, grace_option, lake_option, summary_option
from babelreg.cli.lake.progress import Progress
from babelreg.cli.lake.publishing import following
from babelreg.cli.lake.run_output import RunReports, run_output_option
from babelreg.cli.lake.summary import compacted
from babelreg.cli.shared.common_options import dry_run_option, examples

if TYPE_CHECKING:
    from babelreg.cli.shared.output import Output


@click.command(epilog=examples("babelreg lake compact --lake lake", "babelreg lake compact --lake lake --at-least 4"))
@lake_option
@click.option(
    "--at-least",
    metavar="N",
    type=click.IntRange(2),
    default=16,
    show_default=True,
    help="Only tables with at least N small files.",
)
@dry_run_option("which tables would be compacted")
@grace_option
@engine_option(settings=False)
@run_output_option()
@summary_option
@click.pass_context
def command(
    ctx: click.Context,
    lake: Path,
    at_least: int,
    dry_run: bool,
    grace_seconds: int,
    engine: str | None,
    reports: Sequence[Output],
    style: str,
) -> None:
    """Merge the small files of tables.

    Rows do not change, and running readers are not disturbed: replaced files stay for a while (--grace).
    """
    reporting = RunReports("compact", reports, lake, None, compacted)
    if dry_run:
        preview.compact(lake, at_least, style)
        return
    with reporting, Progress() as progress, session.opened_engine(engine, None, progress) as chosen:
        from babelreg.spark import compact as run

        with following(lake, (), progress) as follower:
            result = run(chosen, lake, at_least=at_least, grace_seconds=grace_seconds, progress=progress.tell)
        progress.clear()
        reporting.add(result)
    if style == "json":
        click.echo(json.dumps(result.as_json(), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(compacted(result)))
    reporting.finish(None, style)
    ctx.exit(1 if follower.failed else 0)
