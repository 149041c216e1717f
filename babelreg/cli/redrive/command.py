"""``babelreg redrive``: send dead letters to their queue again."""

from __future__ import annotations

from pathlib import Path

import click

from babelreg.cli.recording.run import import_runtime
from babelreg.cli.redrive.from_queue import redrive_queue
from babelreg.cli.redrive.request import LAKE, RedriveRequest
from babelreg.cli.shared.common_options import MessageUrn, dry_run_option, examples, style_option
from babelreg.cli.shared.registry_options import completed_by, open_registry, registry_option, sound
from babelreg.errors import UsageError


@click.command(
    short_help="Send dead letters to their queue again.",
    epilog=examples(
        "babelreg redrive --broker redis://localhost:6379/0 --from orders.dlq --dry-run",
        "babelreg redrive --from orders.dlq --to orders --reason handler_failed --limit 100",
        "babelreg redrive --from lake:lake --to orders",
    ),
)
@click.option(
    "--broker",
    "url",
    metavar="URL",
    envvar="BABELREG_BROKER",
    help="The broker: redis://, amqp:// or kafka://. Default: $BABELREG_BROKER. Its password is never printed.",
)
@click.option(
    "--from",
    "source",
    metavar="QUEUE|lake:DIR",
    required=True,
    shell_complete=completed_by("queues"),
    help="The dead-letter queue; or a lake, whose quarantined messages are sent.",
)
@click.option(
    "--to", metavar="QUEUE", help="The queue to send to. Default: for each message its original queue, if known."
)
@click.option(
    "--reason",
    "reasons",
    multiple=True,
    metavar="CODE",
    help="Only dead letters with this reason, or whose error begins with it, such as handler_failed. Repeatable.",
)
@click.option(
    "--urn",
    "urns",
    multiple=True,
    metavar="URN",
    type=MessageUrn(),
    shell_complete=completed_by("urns"),
    help="Only messages with this URN. Repeatable.",
)
@click.option("--limit", metavar="N", type=click.IntRange(1), help="Stop after N messages.")
@click.option("--yes", is_flag=True, help="Allow removing messages from a queue that is not a dead-letter queue.")
@registry_option
@dry_run_option("what would be sent and what would stay")
@style_option("summary")
def command(
    url: str | None,
    source: str,
    to: str | None,
    reasons: tuple[str, ...],
    urns: tuple[str, ...],
    limit: int | None,
    yes: bool,
    registry: Path | None,
    dry_run: bool,
    style: str,
) -> int:
    """Send dead letters that are now valid to their queue again; each is validated against the registry first.

    A message is removed from its queue only after the broker has confirmed the new one. A killed run loses none; it may
    send one batch again, with the same meta.id. Invalid dead letters stay, and are counted by reason. A message is sent
    as it was before it failed: without `dead_letter`, with attempts 0, otherwise byte for byte.

    `babelreg lake redrive` sends nothing: it moves quarantined messages of a lake to its tables. --from lake:DIR does
    both.
    """
    import_runtime()
    from babelreg.recording.broker_url import BrokerUrl

    if not url:
        raise UsageError("no broker was given", fix="--broker redis://localhost:6379/0, or set BABELREG_BROKER")
    server = BrokerUrl.of(url)
    if source == to:
        raise UsageError("--to is the queue of --from", fix="name another queue, or remove --to")
    loaded = sound(open_registry(registry))
    request = RedriveRequest(server, source, to, frozenset(reasons), frozenset(urns), limit, dry_run, style, loaded)
    if source.startswith(LAKE):
        from babelreg.cli.redrive.from_lake import redrive_lake

        return redrive_lake(request)
    _check_source(source, yes=yes or dry_run)
    return redrive_queue(request)


def _check_source(source: str, *, yes: bool) -> None:
    from babelreg.runtime.recording.queue_source import is_dead_letter_queue

    if not (yes or is_dead_letter_queue(source)):
        raise UsageError(
            f"redrive takes the messages of {source!r} away from its consumers",
            fix="pass --yes if it is a dead-letter queue; names such as `orders.dlq` are recognised",
        )
