"""FastStream's side of ``concurrency.py``, run by a Python that has ``faststream[redis]``.

    python tests/benchmarks/faststream_worker.py URL MESSAGES CONCURRENCY HANDLER_SECONDS

Fills a stream, and handles its messages with a consumer group, which acknowledges each after its handler: the nearest
that it has to a queue whose messages survive their worker. Prints the seconds from the first handler to the last.
"""

from __future__ import annotations

import asyncio
import sys

from faststream.redis import RedisBroker, StreamSub
from pydantic import BaseModel


class Order(BaseModel):
    """The data of a message."""

    order_id: int
    note: str


async def main(url: str, count: int, concurrency: int, seconds: float) -> None:
    """Fill the stream, start the subscriber, and wait until all is handled."""
    broker = RedisBroker(url, logger=None)
    done, loop = asyncio.Event(), asyncio.get_running_loop()
    started, handled = 0.0, 0
    stream = StreamSub("faststream", group="workers", consumer="one", max_records=2 * concurrency)

    @broker.subscriber(stream=stream, max_workers=concurrency)
    async def handle(order: Order) -> None:
        nonlocal started, handled
        started = started or loop.time()
        await asyncio.sleep(seconds)
        handled += 1
        if handled == count:
            done.set()

    await broker.connect()
    client = broker._connection
    await client.xgroup_create("faststream", "workers", id="0", mkstream=True)
    for number in range(1, count + 1):
        await broker.publish(Order(order_id=number, note="x"), stream="faststream")
    await broker.start()
    await done.wait()
    print(loop.time() - started)
    await broker.stop()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])))
