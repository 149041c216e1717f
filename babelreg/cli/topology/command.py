"""``babelreg topology``: the queues, subscriptions and groups that the registry asks for, and those of a broker."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelreg.cli.shared.common_options import examples, style_option
from babelreg.cli.shared.registry_options import open_registry, registry_option, sound
from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.model import Topology


@click.command(
    short_help="Show queues and subscriptions, or compare a broker.",
    epilog=examples(
        "babelreg topology",
        "babelreg topology redis://localhost:6379/0",
        "babelreg topology amqp://guest:guest@localhost/%2F --apply",
    ),
)
@click.argument("url", required=False)
@click.option("--apply", is_flag=True, help="Declare what is missing on the broker at URL. Nothing is deleted.")
@click.option(
    "--management",
    metavar="URL",
    help="The address of RabbitMQ's management API. Default: port 15672 of the broker's host.",
)
@registry_option
@style_option("topology")
def command(url: str | None, apply: bool, management: str | None, registry: Path | None, style: str) -> int:
    """Show the queues that services read, what they are subscribed to, the queues to fan out, and Kafka groups.

    Each service has an inbox named after it, unless `consumes` sets another queue. An event goes to the inbox of every
    service that consumes it.

    With the URL of a broker, list its missing queues and subscriptions, and subscriptions without a service; the exit
    code is 1 if there are any. Only names are compared. --apply declares what is missing and lists what is left.
    """
    from babelreg.model import topology
    from babelreg.report import printable

    known = topology(sound(open_registry(registry)))
    if url is not None:
        return _compare(known, url, apply=apply, management=management, style=style)
    if apply or management:
        raise UsageError("--apply and --management need the URL of a broker", fix="babelreg topology URL --apply")
    if style == "json":
        click.echo(json.dumps(_as_json(known), indent=2, ensure_ascii=False))
        return 0
    for line in _lines(known):
        click.echo(printable(line))
    return 0


def _compare(known: Topology, url: str, *, apply: bool, management: str | None, style: str) -> int:
    from babelreg.cli.recording.run import import_runtime

    import_runtime()
    from babelreg.cli.topology.compared import declare, differences
    from babelreg.recording.broker_url import BrokerUrl
    from babelreg.report import printable

    server = BrokerUrl.of(url)
    try:
        if apply:
            count = declare(known, server)
            click.echo(f"declared: {count} {'topics' if server.kind == 'kafka' else 'subscriptions'}", err=True)
        listed = differences(known, server, management)
    except Exception as err:
        raise server.explained(err) from err
    if style == "json":
        click.echo(json.dumps({"broker": server.shown, "differences": listed}, indent=2, ensure_ascii=False))
    else:
        for line in listed:
            click.echo(printable(line))
    if not listed:
        click.echo(printable(f"{server.name} at {server.shown} has the topology of the registry"), err=True)
    return 1 if listed else 0


def _as_json(known: Topology) -> dict[str, Any]:
    from babelreg.model.topology import EXCHANGE

    return {
        "exchange": EXCHANGE,
        "subscriptions": [
            {"queue": each.queue, "service": each.service, "urn": each.urn, "named": each.named}
            for subscriptions in known.queues.values()
            for each in subscriptions
        ],
        "sent_to": {queue: list(urns) for queue, urns in known.sent_to.items()},
        "fan_outs": {queue: list(urns) for queue, urns in known.fan_outs.items()},
        "read_besides": {name: list(queues) for name in known.services if (queues := known.read_besides(name))},
        "groups": {name: list(topics) for name in known.services if (topics := known.topics(name))},
        "unsubscribed": list(known.unsubscribed),
        "aliases": dict(known.aliases),
    }


def _lines(known: Topology) -> Iterator[str]:
    from babelreg.model.topology import EXCHANGE

    yield f"inboxes (RabbitMQ: bound to exchange {EXCHANGE} by URN)"
    rows = [
        (queue, each.service, each.urn, known.sources.get(each.urn) or "")
        for queue, subscriptions in known.queues.items()
        for each in subscriptions
    ]
    yield from _table([("QUEUE", "SERVICE", "MESSAGE", "PRODUCERS' QUEUE"), *rows])
    besides = [(queue, name) for name in known.services for queue in known.read_besides(name)]
    if besides:
        yield from ("", "queues of producers that are also read by their only consumer")
        yield from _table([("QUEUE", "SERVICE"), *sorted(besides)])
    if known.fan_outs:
        yield from ("", "queues of producers to fan out, where other SDKs publish to them: `babelreg fanout URL`")
        yield from _table(
            [("QUEUE", "MESSAGE"), *((name, urn) for name, urns in known.fan_outs.items() for urn in urns)]
        )
    groups = [(name, topic) for name in known.services for topic in known.topics(name)]
    if groups:
        yield from ("", "Kafka: groups and their topics")
        yield from _table([("GROUP", "TOPIC"), *groups])
    if known.aliases:
        yield from ("", "other names under which messages are sent; the queues are subscribed to these as well")
        yield from _table([("NAME", "MESSAGE"), *known.aliases.items()])
    if known.unsubscribed:
        yield from ("", "messages that no service consumes")
        yield from _table([(urn,) for urn in known.unsubscribed])


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the rows, indented; an equal first cell is printed once."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    before = None
    for row in rows:
        first = "" if row[0] == before else row[0]
        before = row[0]
        yield (
            "  " + "  ".join(cell.ljust(width) for cell, width in zip((first, *row[1:]), widths, strict=True)).rstrip()
        )
