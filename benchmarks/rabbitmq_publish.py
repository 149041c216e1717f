"""A producer's confirmed publish to subscriptions on RabbitMQ beside pika's, one at a time and several at once.

    python benchmarks/rabbitmq_publish.py [--messages 2000] [--batches 30]

All send the same bodies with the same properties through the same exchange to the same quorum queue, persistent and
mandatory, and have each confirmed by the broker. ``one by one``: each waits for its confirm, beside pika's blocking
channel, in turns message by message. ``many``: 100 messages by ``send_many``, beside pika with all confirms awaited at
the end, in turns. ``transport`` is given an encoded message, as pika is; ``send`` validates and encodes it, too. The
ratio is that of the medians. The bar, by CPU and by wall time: 1.2. Exits with 1 if missed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "shared"), str(ROOT / "tests" / "runtime" / "shared")]

import machine  # noqa: E402
import pika  # noqa: E402
import rabbitmq_server  # noqa: E402
import subscribed_messages as shop  # noqa: E402
from babelqueue import BabelQueue  # noqa: E402

from babelreg.runtime.transports.amqp_properties import contract_properties  # noqa: E402
from babelreg.runtime.transports.rabbitmq_queues import EXCHANGE  # noqa: E402

BAR, BATCH = 1.2, 100


class Theirs:
    """pika alone: what is sent is encoded before the clock runs."""

    def __init__(self, url: str, body: str) -> None:
        self.connection = pika.BlockingConnection(pika.URLParameters(url))
        self.channel = self.connection.channel()
        self.channel.confirm_delivery()
        self.body = body.encode()
        self.properties = pika.BasicProperties(**contract_properties(body, {}))

    def one(self) -> None:
        self.channel.basic_publish(EXCHANGE, shop.MAILED, self.body, self.properties, mandatory=True)

    def many(self, count: int) -> None:
        channel = self.connection.channel()
        settled: list[int] = [0]

        def confirmed(frame: Any) -> None:
            settled[0] = max(settled[0], frame.method.delivery_tag)
            if settled[0] == count:
                self.connection.add_callback_threadsafe(lambda: None)  # ends the wait

        pipe = channel._impl  # pika's blocking channel itself awaits each confirm
        pipe.confirm_delivery(confirmed, callback=lambda _: None)
        for _ in range(count):
            pipe.basic_publish(EXCHANGE, shop.MAILED, self.body, self.properties, mandatory=True)
        while settled[0] < count:
            self.connection.process_data_events(0.1)
        channel.close()


def medians(steps: dict[str, Callable[[], Any]], rounds: int, messages: int) -> dict[str, tuple[float, float]]:
    """Return the seconds of wall time and of CPU for a message by step; the steps take turns, each first in turn."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in steps}
    names = list(steps)
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            wall, cpu = time.perf_counter(), time.process_time()
            steps[name]()
            taken = time.process_time() - cpu, time.perf_counter() - wall
            times[name].append((taken[1] / messages, taken[0] / messages))
    warm = rounds // 10
    return {
        name: tuple(statistics.median(pair[at] for pair in all_of[warm:]) for at in (0, 1))
        for name, all_of in times.items()
    }  # type: ignore[misc]


def told(mode: str, times: dict[str, tuple[float, float]]) -> bool:
    """Print a line for each step; return True if the bar is kept."""
    kept = True
    for name, (wall, cpu) in times.items():
        ratios = [own / theirs for own, theirs in zip((wall, cpu), times["pika"], strict=True)]
        beside = machine.beside(cpu * 1000, processor=True).strip()
        print(
            f"{mode}: {name:<9} {wall * 1e6:5.0f} us wall {ratios[0]:.2f}x, {cpu * 1e6:5.0f} us CPU {ratios[1]:.2f}x; 1,000: {beside}"
        )
        kept = kept and max(ratios) <= BAR
    return kept


def main() -> int:
    """Print a line for each mode; return 1 if one misses the bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=2000)
    parser.add_argument("--batches", type=int, default=30)
    args = parser.parse_args()
    print(machine.described())
    with rabbitmq_server.running() as server:
        app = BabelQueue(server.url)
        producer = shop.MailedProducer(app)
        transport: Any = app.transport
        transport.subscribe("mailer", [shop.MAILED], inbox=True)
        order = shop.Mailed(order_id=1)
        producer.send(order)
        received = transport.pop("mailer", 1.0)
        assert received is not None
        theirs = Theirs(server.url, received.body)
        single: dict[str, Callable[[], Any]] = {
            "pika": theirs.one,
            "transport": lambda: shop.publish_to_all(transport, shop.MAILED, body=received.body),
            "send": lambda: producer.send(order),
        }
        kept = told("one by one", medians(single, args.messages, 1))
        many = {"pika": lambda: theirs.many(BATCH), "send_many": lambda: producer.send_many([order] * BATCH)}
        kept = told("many", medians(many, args.batches, BATCH)) and kept
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
