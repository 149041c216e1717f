"""``babelreg lake ingest``: new messages into typed tables, once or with ``--watch``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelreg.cli.lake import dry_run as preview
from babelreg.cli.lake import session
from babelreg.cli.lake.options import engine_option, fail_above_option, grace_option, hold_above_option, summary_option
from babelreg.cli.lake.progress import Progress
from babelreg.cli.lake.publishing import following, publish_option
from babelreg.cli.lake.run_output import RunReports, run_output_option
from babelreg.cli.lake.summary import exceeded_lines, ingested
from babelreg.cli.lake.summary_output import named, print_summary
from babelreg.cli.shared.common_options import LocalPath, dry_run_option, examples
from babelreg.cli.shared.registry_options import open_registry, registry_option, sound
from babelreg.cli.wire.options import received_at_option, recorded_wire_option

if TYPE_CHECKING:
    from babelreg.cli.shared.output import Output
    from babelreg.lake.engine.engine import Engine
    from babelreg.lake.publish.following import Follower
    from babelreg.model import Thresholds
    from babelreg.spark import Summary


@click.command(
    epilog=examples(
        "babelreg lake ingest --input inbox --lake lake",
        "babelreg lake ingest --input inbox --lake lake --watch --output prometheus:babelreg.prom",
        "zcat dump.gz | babelreg lake ingest --input - --lake lake",
    )
)
@click.option(
    "--input",
    "source",
    required=True,
    metavar="PATH",
    type=LocalPath(allow_dash=True),
    help="The folder of message files, or one file: one raw message per line, or length-framed; - for standard input.",
)
@click.option(
    "--lake",
    required=True,
    metavar="DIR",
    type=LocalPath(),
    help="The folder for tables and quarantine, new or from an earlier run.",
)
@registry_option
@recorded_wire_option
@received_at_option
@click.option("--keep-duplicates", is_flag=True, help="Store repeated messages again instead of dropping them.")
@click.option(
    "--watch/--once", default=False, help="Keep ingesting new messages until stopped, or run once [the default]."
)
@click.option(
    "--every",
    "seconds",
    metavar="SECONDS",
    type=click.FloatRange(0, min_open=True),
    default=5,
    show_default=True,
    help="With --watch: how often to look for new messages.",
)
@click.option(
    "--compact/--no-compact",
    "compacting",
    default=True,
    help="Merge some small files of tables after each batch [the default], or leave them.",
)
@dry_run_option("the files that would be read")
@grace_option
@fail_above_option
@hold_above_option
@engine_option(settings=True)
@publish_option
@click.option(
    "--fail-set-aside/--no-fail-set-aside",
    default=True,
    help="Exit 1 when a file is set aside [the default], or only report it.",
)
@run_output_option("html")
@summary_option
@click.pass_context
def command(
    ctx: click.Context,
    source: Path,
    lake: Path,
    registry: Path | None,
    wire: str,
    received_at: int | None,
    keep_duplicates: bool,
    watch: bool,
    seconds: float,
    compacting: bool,
    dry_run: bool,
    grace_seconds: int,
    publish_to: tuple[str, ...],
    fail_above: Thresholds,
    hold_above: Thresholds,
    engine: str | None,
    fail_set_aside: bool,
    reports: Sequence[Output],
    style: str,
) -> None:
    """Write every new message in PATH to a typed table, or to quarantine with the reason.

    A repeated message (same meta.id, job and data) is counted as a duplicate. Messages read = accepted + duplicates +
    quarantined; the same command again reads only what is new. Files may be compressed with gzip or zstd (one task
    each). In files named *.frames, each message follows its length in four bytes, big-endian.

    With --wire, messages of another format become envelopes first, by `wires:` in babelreg.yaml; what cannot goes to
    quarantine. A folder holds messages of one wire. A PHPMQ file is one stream,
    or frames: after the first wrong header the rest of it is held, and named.

    Thresholds limit the share of quarantined messages in a batch of at least 100: a batch above --fail-above is
    committed, one above --hold-above is not, and the next run reads its input again. Either ends --watch. They replace
    those of `spark:` in babelreg.yaml, URN by URN.

    The lake is published as Delta tables, which Spark, DuckDB, polars and others open, such as
    lake/tables/orders/created. If a batch cannot be published, it is still committed; the exit code is 1, and the next
    run publishes it.

    Files may grow, and be moved, renamed, rotated or compressed. A copy of a file is not read again. A file that no
    longer has the bytes that were read from it is set aside and reported, and the exit code is 1; all others are read.

    Standard input is read to its end as one batch; if the command is stopped earlier, nothing is read. Bytes that were
    already read are not read again: of a stream that begins with all of an earlier one, only the rest is.
    """
    show = partial(_show, registry=named(registry), style=style, line=watch)
    text = partial(ingested, registry=named(registry))
    reporting = RunReports("ingest", reports, lake, source, text, watches=watch)
    if dry_run:
        preview.ingest(source, lake, sound(open_registry(registry)), style, wire)
        return
    options: dict[str, Any] = {
        "keep_duplicates": keep_duplicates,
        "compacting": compacting,
        "grace_seconds": grace_seconds,
        "wire": wire,
        "received_at": received_at,
        "fail_above": fail_above,
        "hold_above": hold_above,
    }
    with reporting, _warnings(), Progress() as progress:
        from babelreg.model.wire_mapping import wire_notes

        reporting.registry = loaded = session.loaded(registry, progress)
        for note in wire_notes(loaded, wire):
            click.echo(note, err=True)
        from babelreg.spark import BatchHeld
        from babelreg.spark import ingest as run

        with (
            session.opened_engine(engine, loaded, progress) as chosen,
            following(lake, publish_to or None, progress) as follower,
        ):
            try:
                if watch:
                    last = _watch(chosen, source, lake, registry, seconds, show, reporting, options, progress, follower)
                else:
                    last = run(chosen, loaded, source, lake, publish=None, progress=progress.tell, **options)
            except BatchHeld as held:
                last = held.summary
        progress.clear()
        if last and (last.held or not watch):
            show(last, reported=reporting.html)
            reporting.add(last)
    reporting.finish(None if watch or last is None else last.batch, style)
    ctx.exit(_exit_code(last, fail_set_aside) or int(follower.failed))


def _exit_code(last: Summary | None, fail_set_aside: bool) -> int:
    return 1 if last and (last.held or last.exceeded or (last.set_aside and fail_set_aside)) else 0


def _show(summary: Summary, *, registry: str | None, style: str, line: bool, reported: bool = False) -> None:
    """Print the summary; with JSON on stdout, exceeded thresholds as text too."""
    print_summary(summary, partial(ingested, registry=registry, reported=reported), style, line=line)
    if style == "json":
        for text in exceeded_lines(summary.exceeded, held=summary.held):
            click.echo(text, err=True)


def _watch(
    engine: Engine,
    source: Path,
    lake: Path,
    registry: Path | None,
    seconds: float,
    show: Callable[[Summary], None],
    reporting: RunReports,
    options: Mapping[str, Any],
    progress: Progress,
    follower: Follower,
) -> Summary | None:
    """Ingest again and again; return the last summary that was shown."""
    from babelreg.cli.lake.stopping import Stop
    from babelreg.lake.ingest.watch import WAITING, watch

    stop, last = Stop(), None

    def print_batch(summary: Summary) -> None:
        nonlocal last
        last = summary
        progress.clear()
        show(summary)
        reporting.add(summary)

    def tell(step: str) -> None:
        if step == WAITING:
            follower.follow(last=False)
        elif stop.waiting:
            reporting.begin()
        stop.waiting = step == WAITING
        progress.tell(step)

    watch(
        engine,
        lambda: sound(open_registry(registry)),
        source,
        lake,
        stop=stop.asked,
        every_seconds=seconds,
        told=print_batch,
        publish=None,
        progress=tell,
        **options,
    )
    return last


@contextmanager
def _warnings() -> Iterator[None]:
    """Say warnings in words, without the place in our code."""
    from babelreg.cli.shared.registry_options import clear_progress

    def show(message: Warning | str, *_: object, **__: object) -> None:
        clear_progress()
        click.echo(f"warning: {message}", err=True)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
