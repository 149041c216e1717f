"""FastStream's side of ``concurrency.py`` and ``consumer_cost.py``, run by a Python that has ``faststream``.

    python benchmarks/faststream_worker.py URL MESSAGES CONCURRENCY HANDLER_SECONDS

Needs ``faststream[redis,rabbit]``. Fills a queue of RabbitMQ, or a stream of Redis, and handles its messages: with a
consumer group on Redis, the nearest that it has to a queue whose messages survive their worker. Each is acknowledged
after its handler. Prints the seconds from the first handler to the last: of wall time, and of CPU.
"""

from __future__ import annotations

import asyncio
import resource
import sys
from typing import Any

from pydantic import BaseModel


class Order(BaseModel):
    """The data of a message."""

    order_id: int
    note: str


def clocks() -> tuple[float, float]:
    """Return the seconds of wall time and of CPU so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return asyncio.get_running_loop().time(), used.ru_utime + used.ru_stime


async def of_redis(url: str, concurrency: int) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return a broker, and the arguments of its subscriber and of its publish."""
    from faststream.redis import RedisBroker, StreamSub

    broker = RedisBroker(url, logger=None)
    await broker.connect()
    await broker._connection.xgroup_create("faststream", "workers", id="0", mkstream=True)
    stream = StreamSub("faststream", group="workers", consumer="one", max_records=2 * concurrency)
    return broker, {"stream": stream, "max_workers": concurrency}, {"stream": "faststream"}


async def of_rabbitmq(url: str, concurrency: int) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return a broker, and the arguments of its subscriber and of its publish."""
    from faststream.rabbit import Channel, RabbitBroker, RabbitQueue

    broker = RabbitBroker(url, logger=None)
    await broker.connect()
    queue = RabbitQueue("faststream", durable=True)
    await broker.declare_queue(queue)
    subscriber = {"queue": queue, "channel": Channel(prefetch_count=2 * concurrency)}
    return broker, subscriber, {"queue": "faststream", "persist": True}


async def main(url: str, count: int, concurrency: int, seconds: float) -> None:
    """Fill the queue, start the subscriber, and wait until all is handled."""
    of_kind = of_redis if url.startswith("redis") else of_rabbitmq
    broker, subscriber, target = await of_kind(url, concurrency)
    done, handled = asyncio.Event(), 0
    started: tuple[float, float] = (0.0, 0.0)

    @broker.subscriber(**subscriber)
    async def handle(order: Order) -> None:
        nonlocal started, handled
        if not handled and not started[0]:
            started = clocks()
        if seconds:
            await asyncio.sleep(seconds)
        handled += 1
        if handled == count:
            done.set()

    for number in range(1, count + 1):
        await broker.publish(Order(order_id=number, note="x"), **target)
    await broker.start()
    await done.wait()
    print(*(end - start for end, start in zip(clocks(), started, strict=True)))
    await broker.stop()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])))
