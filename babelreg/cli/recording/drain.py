"""``babelreg drain``: move the messages of a queue into files."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from babelreg.cli.recording.options import broker_argument, limit_option, out_option, per_file_option, url_argument
from babelreg.cli.recording.queue_names import QueueNames
from babelreg.cli.recording.run import RecordingRun, import_runtime, note_next, summarized
from babelreg.cli.shared.common_options import dry_run_option, examples, style_option
from babelreg.cli.shared.registry_options import completed_by, registry_option
from babelreg.errors import InputError, UsageError
from babelreg.plural import counted

if TYPE_CHECKING:
    from babelreg.recording.broker_url import BrokerUrl
    from babelreg.recording.rabbitmq_source import RabbitMQSource
    from babelreg.recording.redis_source import RedisSource
    from babelreg.runtime.recording.drain import Drained

_NO_QUEUE = "no queue"


@click.command(
    short_help="Move the messages of a queue into files.",
    epilog=examples(
        "babelreg drain redis redis://localhost:6379/0 orders.dlq --out recorded",
        "babelreg drain rabbitmq amqp://guest:guest@localhost/%2F orders --out recorded --yes",
    ),
)
@broker_argument
@url_argument
@click.argument("queue", shell_complete=completed_by("queues"))
@out_option
@click.option("--yes", is_flag=True, help="Allow removing messages from a queue that is not a dead-letter queue.")
@click.option("--follow", is_flag=True, help="When the queue is empty, wait for more messages until stopped.")
@limit_option
@per_file_option
@registry_option
@dry_run_option("how many messages are in the queue")
@style_option("summary")
def command(
    broker: Literal["redis", "rabbitmq"],
    url: str,
    queue: str,
    out: Path,
    yes: bool,
    follow: bool,
    limit: int | None,
    per_file: int,
    registry: Path | None,
    dry_run: bool,
    style: str,
) -> int:
    """Move the messages of QUEUE into files in DIR until it is empty. Their consumers do not get them any more.

    A message is removed from the broker after it is on disk: a killed run loses none, and the next one continues. It
    may record up to 1,000 messages a second time, which `babelreg lake ingest` drops as duplicates. Messages are not
    parsed, so damaged ones are recorded, too.

    URL is the broker's: redis://host:6379/0, with ?laravel=1 for Laravel's layout, rediss:// with TLS;
    amqp://user:password@host:5672/vhost, amqps:// with TLS. The password may be in $BABELREG_BROKER_PASSWORD instead.
    """
    import_runtime()
    from babelreg.recording.broker_url import BrokerUrl
    from babelreg.runtime.recording.queue_source import is_dead_letter_queue

    server = BrokerUrl.parse(broker, url)
    dead = is_dead_letter_queue(queue)
    if not (dead or yes or dry_run):
        copies = (
            "babelreg tap rabbitmq copies messages" if broker == "rabbitmq" else "record= of producers copies messages"
        )
        readers = ", ".join(QueueNames(registry).readers(queue)) or "its consumers"
        raise UsageError(
            f"drain takes the messages of {queue!r} away from {readers}",
            fix=f"pass --yes if nobody needs them; {copies} instead",
        )
    if dry_run:
        return _dry_run(server, queue, registry, style)
    what = "dead letters" if dead else "messages"
    run = RecordingRun(server, out, queue, per_file)
    sources: list[RedisSource | RabbitMQSource] = []

    def connect() -> RedisSource | RabbitMQSource:
        begun = bool(sources)
        sources[:] = [_source(server, queue, registry)]
        if not begun:
            click.echo(f"taking {what} from queue {queue} of {server.shown} into {out}", err=True)
        return sources[0]

    def summarize(result: Drained) -> None:
        _summarize(queue, result, style, registry, sources)
        note_next(result, out)

    return run.record(connect, limit=limit, follow=follow, summarize=summarize)


def _source(server: BrokerUrl, queue: str, registry: Path | None) -> RedisSource | RabbitMQSource:
    """Return the queue, connected. Raises InputError where RabbitMQ has none of this name."""
    if server.kind == "redis":
        from babelreg.recording.redis_source import RedisSource

        return RedisSource(server.redis(), queue)
    from babelreg.recording.rabbitmq_source import RabbitMQSource

    try:
        return RabbitMQSource(server.amqp_parameters("babelreg drain"), queue)
    except Exception as err:
        if _NO_QUEUE in str(err):
            fix = QueueNames(registry).hint(queue) or "check the name of the queue, and the virtual host in the URL"
            raise InputError(f"RabbitMQ at {server.shown} has no queue {queue!r}", fix=fix) from err
        raise


def _dry_run(server: BrokerUrl, queue: str, registry: Path | None, style: str) -> int:
    from babelreg.recording.redis_source import RedisSource

    try:
        source = _source(server, queue, registry)
        waiting, held = source.waiting(), _held(source)
        if isinstance(source, RedisSource):
            waiting += source.left_behind()
        source.close()
    except Exception as err:
        raise server.explained(err) from err
    if style == "json":
        import json

        click.echo(json.dumps({"queue": queue, "waiting": waiting, **held}, indent=2))
        return 0
    click.echo(f"{queue}: would move {counted(waiting, 'message')}")
    _note_held(queue, held)
    return 0


def _summarize(
    queue: str,
    result: Drained,
    style: str,
    registry: Path | None,
    sources: list[RedisSource | RabbitMQSource],
) -> None:
    held: dict[str, int] = {}
    with suppress(Exception):  # where the broker is away, the summary is of what was recorded before
        held = _held(sources[0])
    click.echo(summarized(queue, result, style, {"queue": queue, **held}))
    _note_held(queue, held)
    if not result.messages and not any(held.values()):
        _note_absent(queue, registry, sources)


def _held(source: RedisSource | RabbitMQSource) -> dict[str, int]:
    from babelreg.recording.redis_source import RedisSource

    return source.held()._asdict() if isinstance(source, RedisSource) else {}


def _note_held(queue: str, held: dict[str, int]) -> None:
    if held.get("reserved"):
        click.echo(
            f"{queue}: consumers have reserved {counted(held['reserved'], 'message')}, which are not taken", err=True
        )
    if held.get("delayed"):
        click.echo(f"{queue}: {counted(held['delayed'], 'message')} with a delay stay until they are due", err=True)


def _note_absent(queue: str, registry: Path | None, sources: list[RedisSource | RabbitMQSource]) -> None:
    """Say what else an empty Redis queue may be: Redis has no empty lists."""
    from babelreg.recording.redis_source import RedisSource

    if not sources or not isinstance(sources[0], RedisSource):
        return
    if other := sources[0].other_layout():
        click.echo(f"{queue}: {other}", err=True)
    elif hint := QueueNames(registry).hint(queue):
        click.echo(f"{queue}: {hint}", err=True)
