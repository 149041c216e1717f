"""What a message costs a consumer in CPU, beside FastStream, and the memory of a long run.

    python benchmarks/consumer_cost.py FASTSTREAM_PYTHON [--messages 1500] [--rounds 5] [--concurrency 1 8 20]
        [--soak 250000 [--soaked redis rabbitmq kafka]]

On Redis and RabbitMQ, one handler at a time, eight and 20, which do nothing. FASTSTREAM_PYTHON has ``faststream[redis,rabbit]``.
Both take turns, each in a process of its own, with the same data; ours has the envelope around it, which it validates.
Seconds of CPU are from the first handler to the last. The bar: no more than FastStream. ``--soak``: that many messages
in one process on each of these brokers, whose memory must not grow by more than 5 % after the first fifth.
``--rounds 0`` does that alone. Exits with 1 if one misses.
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

import kafka_server  # noqa: E402
import machine  # noqa: E402
import rabbitmq_server  # noqa: E402
import redis_server  # noqa: E402
import runtime_messages as on  # noqa: E402
from babelqueue import BabelQueue  # noqa: E402
from server import exit_on_sigterm  # noqa: E402

from babelreg.runtime import Consumer, Context  # noqa: E402
from babelreg.runtime.transports.subscription_broker import Publication  # noqa: E402

CONCURRENCIES = (1, 8, 20)
BATCH = 1000
MOST_GROWTH = 1.05
SERVERS: dict[str, Any] = {"redis": redis_server, "rabbitmq": rabbitmq_server}
FASTSTREAM = Path(__file__).with_name("faststream_worker.py")


def resident_bytes() -> int:
    """Return the memory of this process."""
    pages = Path("/proc/self/statm").read_text("ascii").split()[1]
    return int(pages) * 4096


class Service:
    """A consumer; notes wall time and CPU at the first message and the last, and memory at each fifth of ``count``."""

    def __init__(self, url: str, count: int) -> None:
        self.app = BabelQueue(url, queue="cost")
        self.consumer = Consumer(self.app)
        self.count = count
        self.handled = 0
        self.clocks: list[tuple[float, float]] = []
        self.memory: list[int] = []

    def note(self) -> None:
        if self.handled in (0, self.count - 1):
            self.clocks.append((time.perf_counter(), time.process_time()))
        self.handled += 1
        if self.handled % (self.count // 5) == 0:
            self.memory.append(resident_bytes())

    def run(self, concurrency: int) -> None:
        """Handle all: one at a time by a plain handler, else by async ones."""
        limits: dict[str, Any] = {"max_messages": self.count, "timeout_seconds": 5.0, "handle_signals": False}
        if concurrency == 1:
            self.consumer.on(on.OrdersCreated)(lambda order, context: self.note())
            self.consumer.run("cost", **limits)
            return

        @self.consumer.on(on.OrdersCreated)
        async def handle(order: on.OrdersCreated, context: Context) -> None:
            self.note()

        asyncio.run(self.consumer.run_async("cost", concurrency=concurrency, **limits))


def ours(url: str, count: int, concurrency: int) -> None:
    """Fill the queue, handle it, and print what FastStream's side prints, then the memory."""
    service = Service(url, count)
    transport: Any = service.app.transport
    for first in range(1, count + 1, BATCH):
        numbers = range(first, min(first + BATCH, count + 1))
        bodies = [json.dumps(on.envelope(data={"order_id": number, "note": "x"})) for number in numbers]
        sent = transport.publish_many([Publication("cost", None, body, {}) for body in bodies])
        assert all(result == 1 for result in sent), sent
    service.run(concurrency)
    assert service.handled == count, f"{service.handled} of {count} messages were handled"
    (wall, cpu), (wall_end, cpu_end) = service.clocks
    print(wall_end - wall, cpu_end - cpu, *service.memory)


def seconds_of(command: list[str]) -> list[float]:
    """Return the numbers that a process prints."""
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(number) for number in done.stdout.split()]


def main() -> int:
    """Print a line for each broker and concurrency; return 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("faststream")
    parser.add_argument("--messages", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--concurrency", type=int, nargs="+", default=CONCURRENCIES)
    parser.add_argument("--soak", type=int, default=0)
    parser.add_argument("--soaked", nargs="+", choices=[*SERVERS, "kafka"], default=["redis"])
    args = parser.parse_args()
    exit_on_sigterm()
    own = [sys.executable, str(Path(__file__)), "--ours"]
    print(machine.described())
    kept = True
    for broker, module in SERVERS.items():
        for concurrency in args.concurrency if args.rounds else ():
            pairs = []
            for number in range(args.rounds):
                sides = {}
                for side in ("ours", "faststream")[:: -1 if number % 2 else 1]:
                    command = own if side == "ours" else [args.faststream, str(FASTSTREAM)]
                    with module.running() as server:
                        tail = [server.url, str(args.messages), str(concurrency), "0"]
                        sides[side] = seconds_of([*command, *tail])[:2]
                pairs.append((sides["ours"], sides["faststream"]))
            ratios = [statistics.median(a[at] / b[at] for a, b in pairs) for at in (0, 1)]
            us = [statistics.median(pair[side][1] for pair in pairs) / args.messages * 1e6 for side in (0, 1)]
            beside = machine.beside(us[0] / 1000, processor=True).strip()
            line = f"{broker}, {concurrency:2} at a time: {us[0]:4.0f} us CPU a message, FastStream {us[1]:4.0f} us"
            print(f"{line}: {ratios[1]:.2f}x by CPU, {ratios[0]:.2f}x by wall; 1,000 of ours: {beside}", flush=True)
            kept = kept and ratios[1] <= 1.0
    for broker in args.soaked if args.soak else ():
        module = kafka_server if broker == "kafka" else SERVERS[broker]
        with module.running() as server:
            memory = seconds_of([*own, server.url, str(args.soak), "1", "0"])[2:]
        sizes = ", ".join(f"{size / 2**20:.1f}" for size in memory)
        print(f"{broker}, {args.soak:,} messages: {sizes} MiB at each fifth", flush=True)
        kept = kept and memory[-1] <= MOST_GROWTH * memory[0]
    return int(not kept)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--ours"]:
        ours(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
        sys.exit()
    sys.exit(main())
