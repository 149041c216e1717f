"""``babelreg spark``: recorded messages into typed tables."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelreg.cli.shared import debugging
from babelreg.cli.shared.common_options import (
    LocalPath,
    dry_run_option,
    examples,
    style_option,
)
from babelreg.cli.shared.registry_options import open_registry, registry_option, sound
from babelreg.cli.spark import (
    dry_run as preview,
)
from babelreg.cli.spark import (
    extra,
    files,
    pack,
    warm,
)
from babelreg.cli.spark import (
    report as spark_report,
)
from babelreg.cli.spark.options import grace_option, lake_option
from babelreg.cli.spark.progress import Progress
from babelreg.cli.spark.report import report_option
from babelreg.cli.spark.summary import compacted, ingested, redriven
from babelreg.cli.wire.options import received_at_option, recorded_wire_option

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from babelreg.model import Registry
    from babelreg.spark import Summary

__all__ = ["command"]

_summary_option = style_option("summary")


def _start() -> SparkSession:
    """Start a local session; with ``--debug``, Spark prints to standard error."""
    from babelreg.spark.session import local

    return local.start(debug=debugging.enabled())


@click.group(
    cls=extra.SparkGroup,
    epilog=examples("babelreg spark ingest --input inbox --lake lake", "babelreg spark report --lake lake"),
)
def command() -> None:
    """Turn recorded messages into typed tables."""


@command.command(
    epilog=examples(
        "babelreg spark ingest --input inbox --lake lake",
        "babelreg spark ingest --input inbox --lake lake --watch --output report.html",
    )
)
@click.option(
    "--input",
    "source",
    required=True,
    metavar="DIR",
    type=LocalPath(),
    help="The folder of message files: one raw message a line, or length-framed.",
)
@click.option(
    "--lake",
    required=True,
    metavar="DIR",
    type=LocalPath(),
    help="The folder for tables and quarantine, new or of an earlier run.",
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
@click.option("--fail-set-aside", is_flag=True, help="Exit 1 when a file is set aside.")
@report_option
@_summary_option
@click.pass_context
def ingest(
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
    fail_set_aside: bool,
    report: Path | None,
    style: str,
) -> None:
    """Write every new message in DIR to a typed table, or to quarantine with the reason.

    A repeated message (same meta.id, job and data) is counted as a duplicate. Messages read = accepted + duplicates +
    quarantined; the same command again reads only what is new. Files may be compressed with gzip or zstd (one task
    each). In files named *.frames, each message follows its length in four bytes, big-endian.

    With --wire, messages of FlowLayer, PHPMQ or Strata become envelopes first, by the names that `wires:` in
    babelreg.yaml maps; what cannot goes to quarantine. A folder holds messages of one wire. A PHPMQ file is one stream,
    or frames: after the first wrong header the rest of it is held, and named.

    Files may grow, and be moved or renamed. A file that no longer holds what was read of it is set aside and reported;
    all others are read.
    """
    spark_report.check(report, source, lake)
    if dry_run:
        preview.ingest(source, lake, sound(open_registry(registry)), style, wire)
        return
    options: dict[str, Any] = {
        "keep_duplicates": keep_duplicates,
        "compacting": compacting,
        "grace_seconds": grace_seconds,
        "wire": wire,
        "received_at": received_at,
    }
    with _warnings(), Progress() as progress:
        loaded = _loaded(registry, progress)
        if watch:
            set_aside = _watch(source, lake, registry, seconds, style, options, progress)
            progress.clear()
            _report(report, lake, loaded, None, style)
            ctx.exit(1 if set_aside and fail_set_aside else 0)
        from babelreg.spark import ingest as run

        summary = run(progress.after(_start), loaded, source, lake, progress=progress.tell, **options)
    _print(summary, partial(ingested, registry=_named(registry), reported=report is not None), style)
    _report(report, lake, loaded, summary.batch, style)
    ctx.exit(1 if summary.set_aside and fail_set_aside else 0)


def _watch(
    source: Path,
    lake: Path,
    registry: Path | None,
    seconds: float,
    style: str,
    options: Mapping[str, Any],
    progress: Progress,
) -> bool:
    """Ingest again and again; return whether a file is set aside at the end."""
    from babelreg.cli.spark.stopping import Stop
    from babelreg.spark.ingest.watch import WAITING, watch

    stop, set_aside = Stop(), False

    def print_batch(summary: Summary) -> None:
        nonlocal set_aside
        set_aside = bool(summary.set_aside)
        progress.clear()
        _print(summary, partial(ingested, registry=_named(registry)), style, line=True)

    def tell(step: str) -> None:
        stop.waiting = step == WAITING
        progress.tell(step)

    watch(
        progress.after(_start),
        lambda: sound(open_registry(registry)),
        source,
        lake,
        stop=stop.asked,
        every_seconds=seconds,
        told=print_batch,
        progress=tell,
        **options,
    )
    return set_aside


def _loaded(registry: Path | None, progress: Progress) -> Registry:
    """Return the registry; then the packages of Spark are imported, which takes as long."""
    progress.wait("reading the registry")
    loaded = sound(open_registry(registry))
    progress.wait("loading Spark's Python packages")
    import_module("babelreg.spark")
    return loaded


@command.command(
    epilog=examples(
        "babelreg spark redrive --lake lake", "babelreg spark redrive --lake lake --reason missing_required"
    )
)
@lake_option
@registry_option
@click.option(
    "--reason", "reasons", multiple=True, metavar="CODE", help="Only messages refused for this reason. Repeatable."
)
@click.option("--urn", "urns", multiple=True, metavar="URN", help="Only messages with this URN. Repeatable.")
@dry_run_option("how many messages would be validated again")
@grace_option
@report_option
@_summary_option
def redrive(
    lake: Path,
    registry: Path | None,
    reasons: tuple[str, ...],
    urns: tuple[str, ...],
    dry_run: bool,
    grace_seconds: int,
    report: Path | None,
    style: str,
) -> None:
    """Validate the quarantine again, after the registry was fixed.

    Messages that pass are moved to their tables; the others stay, with their current reason. Running it again changes
    nothing.
    """
    spark_report.check(report, lake)
    if dry_run:
        preview.redrive(lake, sound(open_registry(registry)), reasons, urns, style)
        return
    with Progress() as progress:
        loaded = _loaded(registry, progress)
        from babelreg.spark import redrive as run

        summary = run(
            progress.after(_start),
            loaded,
            lake,
            reasons=reasons,
            urns=urns,
            grace_seconds=grace_seconds,
            progress=progress.tell,
        )
    _print(summary, partial(redriven, registry=_named(registry), reported=report is not None), style)
    _report(report, lake, loaded, summary.batch, style)


@command.command(
    epilog=examples("babelreg spark compact --lake lake", "babelreg spark compact --lake lake --at-least 4")
)
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
@_summary_option
def compact(lake: Path, at_least: int, dry_run: bool, grace_seconds: int, style: str) -> None:
    """Merge the small files of tables.

    Rows do not change, and running readers are not disturbed: replaced files stay for a while (--grace).
    """
    if dry_run:
        preview.compact(lake, at_least, style)
        return
    with Progress() as progress:
        progress.wait("loading Spark's Python packages")
        from babelreg.spark import compact as run

        result = run(
            progress.after(_start), lake, at_least=at_least, grace_seconds=grace_seconds, progress=progress.tell
        )
    if style == "json":
        click.echo(json.dumps(result.as_json(), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(compacted(result)))


command.add_command(files.command, "files")
command.add_command(pack.command, "pack")
command.add_command(warm.command, "warm")
command.add_command(spark_report.command, "report")


def _named(registry: Path | None) -> str | None:
    """Return the registry as the user named it, for a line to paste; None if it was found without an option."""
    return None if registry is None else str(registry)


def _report(file: Path | None, lake: Path, registry: Registry, batch: int | None, style: str) -> None:
    """Write the report of a run where one is wanted: of its batch, of all together where it made none."""
    from babelreg.spark.lake.log.manifest import exists

    if file is not None and batch is None and not exists(lake):
        click.echo("no report: nothing has been ingested yet", err=True)
    elif file is not None:
        spark_report.write(file, lake, registry, batch)
        click.echo(f"report: {file}", err=style == "json")


def _print(summary: Summary, text: Callable[[Summary], list[str]], style: str, *, line: bool = False) -> None:
    if style == "json":
        click.echo(json.dumps(summary.as_json(), indent=None if line else 2, ensure_ascii=False))
    else:
        click.echo("\n".join(text(summary)))


@contextmanager
def _warnings() -> Iterator[None]:
    """Say warnings in words, without the place in our code."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: click.echo(f"warning: {message}", err=True)
        yield
