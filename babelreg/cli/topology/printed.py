"""The topology of a registry as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babelreg.model import Topology

__all__ = ["as_json", "lines"]


def as_json(known: Topology) -> dict[str, Any]:
    """Return the topology as JSON."""
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
    }


def lines(known: Topology) -> Iterator[str]:
    """Yield the lines of the text."""
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
        yield from ("", "queues of producers that their only consumer reads, too")
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
