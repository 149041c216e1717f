"""``babelreg lake redrive``: the quarantine validated again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.lake import dry_run as preview
from babelreg.cli.lake import session
from babelreg.cli.lake.options import engine_option, grace_option, lake_option, summary_option
from babelreg.cli.lake.progress import Progress
from babelreg.cli.lake.publishing import following
from babelreg.cli.lake.run_output import RunReports, run_output_option
from babelreg.cli.lake.summary import redriven
from babelreg.cli.lake.summary_output import named, print_summary
from babelreg.cli.shared.common_options import MessageUrn, dry_run_option, examples
from babelreg.cli.shared.registry_options import open_registry, registry_option, sound

if TYPE_CHECKING:
    from babelreg.cli.shared.output import Output


@click.command(
    epilog=examples("babelreg lake redrive --lake lake", "babelreg lake redrive --lake lake --reason missing_required")
)
@lake_option
@registry_option
@click.option(
    "--reason", "reasons", multiple=True, metavar="CODE", help="Only messages refused for this reason. Repeatable."
)
@click.option(
    "--urn", "urns", type=MessageUrn(), multiple=True, metavar="URN", help="Only messages with this URN. Repeatable."
)
@dry_run_option("how many messages would pass now, by reason")
@grace_option
@engine_option(settings=True)
@run_output_option("html")
@summary_option
@click.pass_context
def command(
    ctx: click.Context,
    lake: Path,
    registry: Path | None,
    reasons: tuple[str, ...],
    urns: tuple[str, ...],
    dry_run: bool,
    grace_seconds: int,
    engine: str | None,
    reports: Sequence[Output],
    style: str,
) -> None:
    """Validate the quarantine again, after the registry was fixed.

    Messages that pass are moved to their tables; the others stay, with their current reason. Running it again changes
    nothing. No message is sent: `babelreg redrive` sends dead letters, and quarantined messages, to queues.
    """
    reporting = RunReports("redrive", reports, lake, None, partial(redriven, registry=named(registry)))
    if dry_run:
        preview.redrive(lake, sound(open_registry(registry)), reasons, urns, style)
        return
    with reporting, Progress() as progress:
        reporting.registry = loaded = session.loaded(registry, progress)
        with (
            session.opened_engine(engine, loaded, progress) as chosen,
            following(lake, (), progress) as follower,
        ):
            from babelreg.spark import redrive as run

            summary = run(
                chosen,
                loaded,
                lake,
                reasons=reasons,
                urns=urns,
                grace_seconds=grace_seconds,
                progress=progress.tell,
            )
        progress.clear()
        print_summary(summary, partial(redriven, registry=named(registry), reported=reporting.html), style)
        reporting.add(summary)
    reporting.finish(summary.batch, style)
    ctx.exit(1 if follower.failed else 0)
