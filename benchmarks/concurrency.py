"""Concurrent consumers beside the single stream, ``asyncio.Semaphore`` and FastStream, in one run.

    python benchmarks/concurrency.py [--messages 2000] [--rounds 5] [--faststream PYTHON]

Three bars: 40 handlers of 50 ms with concurrency 20 take at most 3 times as long as the same sleeps under
``asyncio.Semaphore(20)``; with handlers of 5 ms on Redis, concurrency 20 handles at least 8 times as many messages a
second as the single stream; and at least 0.9 times as many as FastStream with as many workers on the same server, which
reads a stream with a consumer group and acknowledges each message. ``--faststream`` is a Python that has
``faststream[redis]``; without it that bar is left out. Exits with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "shared"), str(ROOT / "tests" / "runtime" / "shared")]

import machine  # noqa: E402
import redis_server  # noqa: E402
import runtime_messages as on  # noqa: E402
from babelqueue import BabelQueue  # noqa: E402
from server import exit_on_sigterm  # noqa: E402

from babelreg.runtime import Consumer, Context  # noqa: E402

CONCURRENCY = 20
MOST_OF_SEMAPHORE, LEAST_OF_SINGLE, LEAST_OF_FASTSTREAM = 3.0, 8.0, 0.9
HANDLER_SECONDS = 0.005
FASTSTREAM = Path(__file__).with_name("faststream_worker.py")


def fill(app: BabelQueue, count: int) -> None:
    """Put ``count`` orders into the queue."""
    for number in range(1, count + 1):
        on.put(app, json.dumps(on.envelope(data={"order_id": number, "note": "x"})))


class Sleeper:
    """A consumer whose handler sleeps; notes when the first call began and the last one ended."""

    def __init__(self, app: BabelQueue, seconds: float) -> None:
        self.consumer = Consumer(app)
        self.started = self.ended = 0.0
        self.handled = 0

        @self.consumer.on(on.OrdersCreated)
        async def handle(order: on.OrdersCreated, context: Context) -> None:
            self.started = self.started or time.perf_counter()
            await asyncio.sleep(seconds)
            self.handled += 1
            self.ended = time.perf_counter()

    @property
    def seconds(self) -> float:
        return self.ended - self.started


def semaphore_ratio() -> float:
    """Return how much longer 40 handlers of 50 ms take than the same sleeps under a semaphore."""

    async def bare() -> float:
        semaphore = asyncio.Semaphore(CONCURRENCY)

        async def one() -> None:
            async with semaphore:
                await asyncio.sleep(0.05)

        started = time.perf_counter()
        await asyncio.gather(*(one() for _ in range(40)))
        return time.perf_counter() - started

    async def both() -> float:
        app = on.app()
        fill(app, 40)
        sleeper = Sleeper(app, 0.05)
        started = time.perf_counter()
        await sleeper.consumer.run_async(
            concurrency=CONCURRENCY, max_messages=40, timeout_seconds=0.01, handle_signals=False
        )
        ours = time.perf_counter() - started
        if sleeper.handled != 40:
            raise ValueError(f"{sleeper.handled} of 40 messages were handled")
        return ours / await bare()

    return asyncio.run(both())


def on_redis(url: str, count: int, concurrency: int) -> float:
    """Return the messages a second of one consumer with a queue of ``count`` messages; 0 for the single stream."""
    app = BabelQueue(url, queue="orders")
    sleeper = Sleeper(app, HANDLER_SECONDS)
    fill(app, count)
    limits: dict[str, Any] = {"max_messages": count, "timeout_seconds": 0.05, "handle_signals": False}
    if concurrency:
        asyncio.run(sleeper.consumer.run_async(concurrency=concurrency, **limits))
    else:
        sleeper.consumer.run(**limits)
    left = app.transport.client.llen("orders") + app.transport.client.llen("orders:processing")  # type: ignore[attr-defined]
    if sleeper.handled != count or left:
        raise ValueError(f"{sleeper.handled} of {count} messages were handled, {left} are left")
    return count / sleeper.seconds


def faststream(python: str, url: str, count: int) -> float:
    """Return the messages a second of FastStream."""
    command = [python, str(FASTSTREAM), url, str(count), str(CONCURRENCY), str(HANDLER_SECONDS)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return count / float(printed.split()[0])


def main() -> int:
    """Print a line for each bar; return 1 where one is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--faststream", help="a Python that has faststream[redis]")
    args = parser.parse_args()
    exit_on_sigterm()
    print(machine.described())
    ratio = statistics.median(semaphore_ratio() for _ in range(args.rounds))
    print(f"40 handlers of 50 ms, concurrency 20: {ratio:.2f}x a semaphore, bar {MOST_OF_SEMAPHORE:g}x")
    kept = ratio <= MOST_OF_SEMAPHORE
    single: list[float] = []
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(args.rounds):
        with redis_server.running() as server:
            single.append(on_redis(server.url, args.messages // 8, 0))
            ours.append(on_redis(server.url, args.messages, CONCURRENCY))
            if args.faststream:
                theirs.append(faststream(args.faststream, server.url, args.messages))
    rates = f"single stream {statistics.median(single):.0f}/s, concurrency 20 {statistics.median(ours):.0f}/s"
    ratio = statistics.median(two / one for one, two in zip(single, ours, strict=True))
    beside = machine.beside(1000 / statistics.median(ours)).strip()
    print(f"Redis, handlers of 5 ms: {rates}: {ratio:.1f}x, bar {LEAST_OF_SINGLE:g}x  {beside} per 1,000 of ours")
    kept = kept and ratio >= LEAST_OF_SINGLE
    if theirs:
        ratio = statistics.median(two / one for one, two in zip(theirs, ours, strict=True))
        print(f"FastStream {statistics.median(theirs):.0f}/s: ours {ratio:.2f}x, bar {LEAST_OF_FASTSTREAM:g}x")
        kept = kept and ratio >= LEAST_OF_FASTSTREAM
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
