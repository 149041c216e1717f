"""``babelreg spark stream``: messages of Kafka or of a folder into Delta or Iceberg tables, on Spark's checkpoint."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelreg.cli.lake import extra, session
from babelreg.cli.lake.options import fail_above_option, hold_above_option, summary_option
from babelreg.cli.lake.progress import Progress
from babelreg.cli.lake.run_output import run_output_option
from babelreg.cli.lake.summary import exceeded_lines
from babelreg.cli.shared import debugging
from babelreg.cli.shared.common_options import examples
from babelreg.cli.shared.registry_options import registry_option
from babelreg.cli.spark.stream_lines import batch_line, held_as_json, nothing_line
from babelreg.cli.spark.stream_reports import StreamReports
from babelreg.cli.wire.options import recorded_wire_option
from babelreg.report import printable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from babelreg.cli.shared.output import Output
    from babelreg.spark.platform.stream.stream_batch import StreamBatch
    from babelreg.spark.platform.stream.stream_settings import StreamSettings
    from babelreg.spark.platform.tables.batch_totals import BatchTotals


def _pairs(context: click.Context, parameter: click.Parameter, texts: Sequence[str]) -> Mapping[str, str]:
    """Return ``NAME=VALUE`` texts as a mapping; an error names no value, which may be a secret."""
    pairs = [text.partition("=") for text in texts]
    for name, equals, _ in pairs:
        if not equals or not name:
            raise click.BadParameter(f"write it as NAME=VALUE: '{name[:40]}'", context, parameter)
    return {name: value for name, _, value in pairs}


@click.command(
    epilog=examples(
        "babelreg spark stream --from kafka://broker:9092/orders --to delta --at s3a://lake/tables "
        "--checkpoint s3a://lake/checkpoints/orders --packages",
        "babelreg spark stream --from inbox --to delta --at ./tables --checkpoint ./checkpoint --packages",
        "babelreg spark stream --from inbox --to delta --at ./tables --checkpoint ./checkpoint --every 10 "
        "--output prometheus:babelreg.prom",
    )
)
@click.option(
    "--from",
    "source",
    required=True,
    metavar="PLACE",
    help="kafka://HOST:PORT[,HOST:PORT]/TOPIC[,TOPIC], a folder, or its address, such as s3a://BUCKET/FOLDER.",
)
@click.option("--to", required=True, type=click.Choice(["delta", "iceberg"]), help="The format of the tables.")
@click.option(
    "--at",
    required=True,
    metavar="PLACE",
    help="A folder (with a slash) or its address, or CATALOG.SCHEMA.",
)
@click.option(
    "--checkpoint",
    required=True,
    metavar="PLACE",
    help="The folder for the progress of this stream; each stream needs its own.",
)
@registry_option
@recorded_wire_option
@click.option("--keep-duplicates", is_flag=True, help="Store repeated messages again instead of dropping them.")
@click.option("--once", is_flag=True, help="Read the available input, then exit [the default].")
@click.option(
    "--every",
    "seconds",
    metavar="SECONDS",
    type=click.FloatRange(0, min_open=True),
    help="Read until stopped, and begin batches at this interval at most.",
)
@click.option(
    "--max-messages",
    metavar="N",
    type=click.IntRange(1),
    default=1_000_000,
    show_default=True,
    help="The maximum number of Kafka messages in a batch.",
)
@click.option(
    "--max-files",
    metavar="N",
    type=click.IntRange(1),
    help="The maximum number of files in a batch. Default: about 1 GB.",
)
@click.option(
    "--starting",
    type=click.Choice(["earliest", "latest"]),
    default="earliest",
    show_default=True,
    help="Where a new checkpoint begins to read a Kafka topic.",
)
@click.option(
    "--on-lost",
    type=click.Choice(["stop", "continue"]),
    default="stop",
    show_default=True,
    help="What to do when Kafka deleted messages before they were read.",
)
@fail_above_option
@hold_above_option
@click.option(
    "--again", is_flag=True, help="Allow a new checkpoint for a source that was already read into the same tables."
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_pairs,
    help="An option of Spark's source, such as kafka.security.protocol=SASL_SSL; VALUE may be @FILE. Repeatable.",
)
@click.option(
    "--conf",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_pairs,
    help="A setting of Spark, such as spark.hadoop.fs.s3a.endpoint=URL; VALUE may be @FILE. Repeatable.",
)
@click.option("--jars", metavar="FILE,...", help="Additional jars for Spark.")
@click.option("--packages", is_flag=True, help="Let Spark fetch the jars it needs from Maven Central, and cache them.")
@run_output_option()
@summary_option
def command(
    source: str,
    to: str,
    at: str,
    checkpoint: str,
    registry: Path | None,
    once: bool,
    seconds: float | None,
    on_lost: str,
    options: Mapping[str, str],
    conf: Mapping[str, str],
    jars: str | None,
    packages: bool,
    reports: Sequence[Output],
    style: str,
    **others: Any,
) -> None:
    """Write messages of Kafka or of a folder to Delta or Iceberg tables, with Spark's own reader and checkpoint.

    Every message is accounted for exactly once, even if a run is killed: in the table of its URN, as a duplicate, or in
    babelreg__quarantine with its bytes and a reason. The same command continues where it stopped. Each batch prints one
    line: messages read = stored + duplicates + quarantined + tombstones (Kafka's records without a value).

    Kafka: the header bq-attempts replaces the body's attempts, and a message whose bq-schema-version is not 1 goes to
    quarantine. Kafka deletes old messages: if some were not read yet, the command lists them and stops (--on-lost).

    A folder: one message per line, or frames in *.frames; also compressed. Files must be complete when they appear.

    A batch above --hold-above is not written, and the next run reads it again; one above --fail-above is. Either ends
    the run with exit code 1.

    A checkpoint belongs to one source and one set of tables. Do not delete it: Spark would read everything again.
    """
    from babelreg.errors import UsageError
    from babelreg.spark.platform.stream.stream_settings import file_values, stream_settings

    if once and seconds is not None:
        raise UsageError("--once and --every exclude each other", fix="remove one of them")
    extra.uses("platform")
    given = partial(stream_settings, source, to, at, checkpoint, options=options, every_seconds=seconds)
    settings = given(stop_when_lost=on_lost == "stop", **others)
    with StreamReports(reports, settings) as reporting, Progress() as progress:
        reporting.registry = loaded = session.loaded(registry, progress)
        progress.wait("starting Spark")
        spark = _start(settings, {**file_values(conf), **({"spark.jars": jars} if jars else {})}, packages)
        failed = _run(spark, loaded, settings, style, progress, reporting)
    reporting.name_files(style)
    click.get_current_context().exit(1 if failed else 0)


def _start(settings: StreamSettings, conf: Mapping[str, str], packages: bool) -> SparkSession:
    from babelreg.spark.platform.stream import spark_jars
    from babelreg.spark.session import local

    wanted = {**spark_jars.settings(settings.to, settings.at), **conf}
    if packages:
        wanted |= spark_jars.packages(spark_jars.needed_here(settings))
    return local.start("babelreg stream", debug=debugging.enabled(), settings=wanted)


def _run(
    spark: SparkSession,
    registry: Any,
    settings: StreamSettings,
    style: str,
    progress: Progress,
    reporting: StreamReports,
) -> bool:
    """Run the stream; return whether a batch was above a threshold."""
    from babelreg.cli.lake.stopping import Stop
    from babelreg.lake.ingest.summary import BatchHeld
    from babelreg.spark.platform.stream import Observer, stream

    stop, batches, failed = Stop(), 0, False

    class BatchPrinter(Observer):
        """Prints a line a batch, and keeps the reports up to date."""

        wants_totals = reporting.wants_totals

        def begin(self, totals: BatchTotals | None) -> None:
            reporting.begin(totals)

        def poll(self) -> None:
            reporting.refresh()

        def batch(self, batch: StreamBatch) -> None:
            nonlocal batches, failed
            batches += 1
            failed = failed or bool(batch.counts.exceeded)
            progress.clear()
            click.echo(json.dumps(batch.as_json(), ensure_ascii=False) if style == "json" else batch_line(batch))
            for line in exceeded_lines(batch.counts.exceeded):
                click.echo(printable(line), err=True)
            reporting.add(batch)

        def warning(self, text: str) -> None:
            progress.clear()
            click.echo(f"warning: {text}", err=True)

        def step(self, text: str) -> None:
            stop.waiting = text == Observer.WAITING
            progress.wait(text)

    try:
        stream(spark, registry, settings, observer=BatchPrinter(), stop=stop.asked)
    except BatchHeld as held:
        if style == "json":
            progress.clear()
            click.echo(json.dumps(held_as_json(held), ensure_ascii=False))
        raise
    progress.clear()
    if not batches and style != "json":
        click.echo(nothing_line(settings))
    return failed
