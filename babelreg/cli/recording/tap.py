"""``babelreg tap``: copy what is published into files, beside the consumers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.recording.options import broker_argument, limit_option, out_option, per_file_option, url_argument
from babelreg.cli.recording.queue_names import QueueNames
from babelreg.cli.recording.run import RecordingRun, import_runtime, note_next, summarized
from babelreg.cli.shared.common_options import Utf8Text, dry_run_option, examples, style_option
from babelreg.cli.shared.registry_options import completed_by, registry_option
from babelreg.errors import InputError, UsageError

if TYPE_CHECKING:
    from babelreg.recording.broker_url import BrokerUrl
    from babelreg.recording.tap_source import TapOptions, TapSource
    from babelreg.runtime.recording.drain import Drained

_PROBE_BATCHES = 50


@click.command(
    short_help="Copy published messages into files.",
    epilog=examples(
        "babelreg tap rabbitmq amqp://guest:guest@localhost/%2F --exchange events --out recorded",
        "babelreg tap rabbitmq amqp://guest:guest@localhost/%2F --queue orders --out recorded",
    ),
)
@broker_argument
@url_argument
@out_option
@click.option(
    "--exchange",
    metavar="NAME",
    default="",
    help="The exchange. Default: the exchanges that BabelQueue publishes to, through the broker's firehose.",
)
@click.option(
    "--routing-key",
    "keys",
    multiple=True,
    metavar="KEY",
    help="With --exchange: only messages with this routing key, or pattern of a topic exchange. Repeatable.",
)
@click.option(
    "--queue",
    "queues",
    multiple=True,
    type=Utf8Text(),
    metavar="NAME",
    shell_complete=completed_by("queues"),
    help="Without --exchange: only messages that reach this queue. Repeatable.",
)
@click.option(
    "--durable",
    metavar="NAME",
    help="Keep messages in the queue NAME while no tap runs. Default: a queue that is deleted after this run.",
)
@click.option(
    "--max-length",
    metavar="N",
    type=click.IntRange(1),
    default=100_000,
    show_default=True,
    help="The capacity of the tap's queue; when it is full, the broker drops the oldest messages, which are counted.",
)
@limit_option
@per_file_option
@registry_option
@dry_run_option("what would be copied")
@style_option("summary")
def command(
    broker: str,
    url: str,
    out: Path,
    exchange: str,
    keys: tuple[str, ...],
    queues: tuple[str, ...],
    durable: str | None,
    max_length: int,
    limit: int | None,
    per_file: int,
    registry: Path | None,
    dry_run: bool,
    style: str,
) -> int:
    """Copy messages that are published to RabbitMQ into files in DIR, until stopped.

    Consumers are not affected: with --exchange, a separate queue is bound for the tap. BabelQueue's exchanges do not
    allow such a queue; there the tap reads the broker's firehose, which an administrator must enable: rabbitmqctl
    trace_on -p VHOST. The firehose copies all publications of the virtual host, which costs the broker about as much as
    they do.

    Redis lists cannot be tapped: give producers or consumers record=DIR.
    """
    if broker == "redis":
        raise UsageError(
            "a Redis list delivers each message only once, so it cannot be tapped",
            fix='record="DIR" of generated producers and consumers copies them; `babelreg drain redis` removes them',
        )
    if keys and not exchange:
        raise UsageError(
            "--routing-key selects messages of an exchange", fix="name it: --exchange NAME; or --queue NAME"
        )
    if queues and exchange:
        raise UsageError("--queue selects messages of the firehose", fix="with --exchange, use --routing-key KEY")
    import_runtime()
    from babelreg.recording.broker_url import BrokerUrl
    from babelreg.recording.tap_source import TapOptions

    server = BrokerUrl.parse("rabbitmq", url)
    options = TapOptions(exchange, keys, frozenset(queues), None if dry_run else durable, max_length)
    names = QueueNames(registry) if queues else None
    for queue in queues:
        if names and (hint := names.hint(queue)):
            click.echo(f"{queue}: {hint}", err=True)
    if dry_run:
        return _dry_run(server, options)
    taps: list[TapSource] = []

    def connect() -> TapSource:
        taps.append(_tap(server, options))
        if len(taps) == 1:
            click.echo(f"copying {_described(options)} of {server.shown} into {out}, until stopped", err=True)
            click.echo(_lifetime(options), err=True)
        return taps[-1]

    def summarize(result: Drained) -> None:
        lost = sum(tap.lost for tap in taps)
        click.echo(summarized(exchange or "firehose", result, style, {"exchange": exchange, "lost": lost}))
        if lost:
            message = f"the broker dropped {lost:,} messages because the tap's queue was full"
            click.echo(f"{message}; raise the limit: --max-length {2 * max_length}", err=True)
        note_next(result, out)

    run = RecordingRun(server, out, exchange or "tap", per_file)
    return run.record(connect, limit=limit, follow=True, summarize=summarize)


def _tap(server: BrokerUrl, options: TapOptions) -> TapSource:
    """Return the tap, connected. Raises InputError where there is no such exchange, or a queue is in the way."""
    from babelreg.recording.tap_source import TapSource

    try:
        return TapSource(server.amqp_parameters("babelreg tap"), options, note=lambda text: click.echo(text, err=True))
    except Exception as err:
        if "no exchange" in str(err):
            raise InputError(
                f"RabbitMQ at {server.shown} has no exchange {options.exchange!r}",
                fix="check its name, and the virtual host in the URL; BabelQueue's messages need no --exchange",
            ) from err
        if "inequivalent arg" in str(err):
            raise InputError(
                f"there is a queue {options.durable!r} with other settings",
                fix="use another name for --durable, pass the --max-length of its creation, or delete it",
            ) from err
        raise


def _described(options: TapOptions) -> str:
    if not options.exchange:
        queues = ", ".join(sorted(options.queues))
        return f"messages to {'queue ' if queues else 'all queues'}{queues}, through the firehose,"
    keys = f" with key {', '.join(options.routing_keys)}" if options.routing_keys else ""
    return f"messages to exchange {options.exchange}{keys}"


def _lifetime(options: TapOptions) -> str:
    if options.durable:
        return f"the queue {options.durable} keeps messages while no tap runs; delete it when it is no longer needed"
    return "messages published while no tap runs are not copied; --durable NAME keeps them in a queue"


def _dry_run(server: BrokerUrl, options: TapOptions) -> int:
    try:
        tap = _tap(server, options)
        try:
            for _ in range(_PROBE_BATCHES):
                if options.exchange or tap.tracing is not None:
                    break
                tap.receive(1_000, 0.2)
                tap.acknowledge()
        finally:
            tap.close()
    except Exception as err:
        raise server.explained(err) from err
    click.echo(f"would copy {_described(options)} of {server.shown}")
    return 0
