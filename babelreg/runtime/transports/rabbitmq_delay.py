"""Delay queues of RabbitMQ: a message waits in one until its time to live is over, and goes back to its queue then.

A queue expires its messages at its head only. So the delays of one queue differ by less than a factor of two: queues
are for up to 1, 2, 4, 8 seconds and so on, and a message that waits for another before it is late by less than its own
delay.

They are quorum queues that keep a message until its queue has confirmed it (``at-least-once``, RabbitMQ 3.10): classic
queues lose messages that expire while the broker crashes. They are never deleted: a queue that expired would take its
messages along.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

_LONGEST_SECONDS = 2.0**31 / 1000 / 2  # what AMQP clients may assume to fit into 32 bits of milliseconds


class DelayQueue(NamedTuple):
    """The queue for one delay: its name and its arguments; ``expiration`` is that of the message, in milliseconds."""

    name: str
    arguments: dict[str, Any]
    expiration: str

    @property
    def classic_arguments(self) -> dict[str, Any]:
        """The arguments of a classic queue, for a broker that knows no such quorum queues."""
        return {name: self.arguments[name] for name in ("x-dead-letter-exchange", "x-dead-letter-routing-key")}


def delay_queue(routing_key: str, seconds: float, exchange: str = "") -> DelayQueue:
    """Return the delay queue for messages that go to ``exchange`` after ``seconds``; "" delivers to a queue.

    Where nothing is bound to the exchange with that key by then, the message stays in the delay queue until it is.
    """
    seconds = min(seconds, _LONGEST_SECONDS)
    longest = 2 ** max(0, math.ceil(math.log2(seconds)))
    arguments = {
        "x-queue-type": "quorum",
        "x-dead-letter-strategy": "at-least-once",
        "x-overflow": "reject-publish",
        "x-dead-letter-exchange": exchange,
        "x-dead-letter-routing-key": routing_key,
    }
    return DelayQueue(f"{routing_key}.delay.{longest}", arguments, str(math.ceil(seconds * 1000)))
