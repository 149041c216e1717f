"""``babelreg fanout``: copy what foreign SDKs publish to one queue to the inboxes of all services."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.recording.run import import_runtime
from babelreg.cli.shared.common_options import examples
from babelreg.cli.shared.graceful_stop import GracefulStop
from babelreg.cli.shared.registry_options import open_registry, registry_option, sound
from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.model import Topology
    from babelreg.runtime.consumer.fan_out import FanOut


@click.command(
    short_help="Copy messages of other SDKs to all inboxes.",
    epilog=examples(
        "babelreg fanout redis://localhost:6379/0",
        "babelreg fanout amqp://guest:guest@localhost/%2F --only orders --once",
    ),
)
@click.argument("url", envvar="BABELREG_BROKER")
@click.option("--only", "queues", multiple=True, metavar="QUEUE", help="Only this queue of producers. Repeatable.")
@click.option("--once", is_flag=True, help="Stop when the queues are empty.")
@registry_option
def command(url: str, queues: tuple[str, ...], once: bool, registry: Path | None) -> int:
    """Copy what SDKs of other languages publish to the inbox of every service that is subscribed, until stopped.

    They publish to one queue, which only one service could read. Without --only, the command empties all queues that
    `babelreg topology` lists for fan-out. A message is removed once the broker has all copies, with unchanged ids; a
    killed run may copy some of them again. Several runs may work at the same time.
    """
    import_runtime()
    from babelqueue import BabelQueue

    from babelreg.gen.python_code.service_roles import Roles
    from babelreg.gen.targets.python.service_classes import topology_data
    from babelreg.model import topology
    from babelreg.recording.broker_url import BrokerUrl
    from babelreg.report import printable
    from babelreg.runtime.consumer.fan_out import FanOut
    from babelreg.runtime.subscriptions.topology import RuntimeTopology

    server = BrokerUrl.of(url)
    if server.kind == "kafka":
        raise UsageError(
            "Kafka needs no fan-out: each service reads the topics in its own group", fix="babelreg topology"
        )
    known = topology(sound(open_registry(registry)))
    _check(known, queues)
    stopping = GracefulStop()
    try:
        fan_out = FanOut(BabelQueue(server.text), RuntimeTopology.of(topology_data(known, Roles())), queues or None)
        click.echo(printable(f"copying from {', '.join(fan_out.queues)} at {server.shown}"), err=True)
        with stopping:
            fan_out.run(stopping.event, until_empty=once)
    except Exception as err:
        raise server.explained(err) from err
    _summarize(fan_out)
    return stopping.exit_code() if once else 0


def _check(known: Topology, queues: tuple[str, ...]) -> None:
    """Raise UsageError for a queue that must not be emptied, or that the registry does not have."""
    from babelreg.suggest import closest

    for queue in queues:
        if queue in known.queues:
            names = ", ".join(sorted({each.service for each in known.queues[queue]}))
            raise UsageError(
                f"queue {queue!r} is read by {names}", fix="choose a queue that producers send to and nobody reads"
            )
        if queue not in known.sent_to:
            near = closest(queue, known.sent_to)
            fix = f"did you mean {near}?" if near else "`babelreg topology` lists the queues"
            raise UsageError(f"the registry has no message with queue {queue!r}", fix=fix)


def _summarize(fan_out: FanOut) -> None:
    from babelreg.report import printable

    for urn, number in sorted(fan_out.copied.items()):
        click.echo(printable(f"{urn}: {number:,} copied"))
    for reason, number in sorted(fan_out.refused.items()):
        click.echo(f"dead letters ({reason}): {number}")
