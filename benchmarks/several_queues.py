"""A consumer of ten queues of which one is busy beside a consumer of that one, and what it costs to wait.

    python benchmarks/several_queues.py redis|rabbitmq [--messages 3000] [--rounds 5] [--workers 1]

Three bars: ten queues handle at least 0.9 times as many messages a second as one; a message that ends an idle wait is
with its handler within 20 ms at the 95th percentile, beyond the broker's round trip; and waiting in ten empty queues
takes at most 1 % of a core. Rates are of CPU time and of wall time, one after the other in each round. Exits with 1
when a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import threading
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "shared"), str(ROOT / "tests" / "runtime" / "shared")]

import machine  # noqa: E402
import rabbitmq_server  # noqa: E402
import redis_server  # noqa: E402
import runtime_messages as on  # noqa: E402
from babelqueue import BabelQueue  # noqa: E402
from server import exit_on_sigterm  # noqa: E402

from babelreg.runtime import Consumer, Context  # noqa: E402

LEAST_RATIO, MOST_WAIT_MS, MOST_IDLE_SHARE = 0.9, 20.0, 0.01
SERVERS: dict[str, Any] = {"redis": redis_server, "rabbitmq": rabbitmq_server}
IDLE_SECONDS = 10.0


class _Several(Consumer):
    names: list[str]

    @property
    def queues(self) -> list[str]:
        return list(self.names)


class Service:
    """A consumer of ``count`` queues, of which the first gets messages."""

    def __init__(self, url: str, count: int) -> None:
        self.app = BabelQueue(url, queue="busy")
        self.consumer = _Several(self.app)
        self.consumer.names = ["busy", *(f"empty{number}" for number in range(1, count))]
        self.handled = 0
        self.arrivals: list[float] = []
        self.cpu: list[float] = []
        self.consumer.on(on.OrdersCreated)(self.handle)

    def handle(self, order: on.OrdersCreated, context: Context) -> None:
        self.handled += 1
        self.arrivals.append(time.perf_counter())
        self.cpu.append(time.process_time())


def body() -> str:
    return json.dumps(on.envelope(data={"order_id": 1, "note": "x"}))


def rate(url: str, queues: int, messages: int, workers: int) -> tuple[float, float]:
    """Return the seconds of wall time and of CPU for one message, from the first handler to the last."""
    service = Service(url, queues)
    for _ in range(messages):
        service.app.transport.publish("busy", body())
    # A signal ends the benchmark: a consumer that it stopped would have handled too few.
    service.consumer.run(max_messages=messages, workers=workers, timeout_seconds=5.0, handle_signals=False)
    if service.handled != messages:
        left = sum(1 for _ in iter(lambda: service.app.transport.pop("busy", 0.0), None))
        why = "the run ended early" if left else "another consumer of this server took the others, or they are reserved"
        raise ValueError(f"{service.handled} of {messages} messages were handled, {left} are left: {why}")
    service.app.transport.close()
    wall, cpu = service.arrivals[-1] - service.arrivals[0], service.cpu[-1] - service.cpu[0]
    return wall / (messages - 1), cpu / (messages - 1)


def idle(url: str) -> tuple[float, float]:
    """Return the share of a core that ten empty queues take, and the 95th percentile of what a message waits, in ms."""
    service, sender = Service(url, 10), BabelQueue(url, queue="busy")
    confirmed = Service(url, 1).app.transport  # the replacement, whose publish is a round trip
    thread = threading.Thread(target=service.consumer.run, kwargs={"handle_signals": False})
    thread.start()
    time.sleep(2.0)
    cpu = time.process_time()
    time.sleep(IDLE_SECONDS)
    share = (time.process_time() - cpu) / IDLE_SECONDS
    waits = []
    for _ in range(100):
        time.sleep(0.05)
        before = len(service.arrivals)
        started = time.perf_counter()
        confirmed.publish("busy", body())
        round_trip = time.perf_counter() - started
        while len(service.arrivals) == before:
            time.sleep(0.0005)
        waits.append((service.arrivals[-1] - started - round_trip) * 1000)
    service.consumer.stop()
    thread.join()
    sender.transport.close()
    return share, statistics.quantiles(waits, n=20)[-1]


def main() -> int:
    """Print a line for each bar; return 1 where one is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("broker", choices=sorted(SERVERS))
    parser.add_argument("--messages", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    exit_on_sigterm()
    print(machine.described())
    server: AbstractContextManager[Any] = SERVERS[args.broker].running()
    with server as running:
        one, ten = [], []
        for _ in range(args.rounds):
            one.append(rate(running.url, 1, args.messages, args.workers))
            ten.append(rate(running.url, 10, args.messages, args.workers))
        wall, cpu = (statistics.median(a[at] / b[at] for a, b in zip(one, ten, strict=True)) for at in (0, 1))
        seconds = [statistics.median(each[1] for each in times) for times in (one, ten)]
        costs = f"one queue {seconds[0] * 1e6:.0f} us CPU, ten {seconds[1] * 1e6:.0f} us CPU a message"
        print(f"{costs}: {wall:.2f}x by wall, {cpu:.2f}x by CPU, bar {LEAST_RATIO}x")
        print(f"1,000 messages of one queue {machine.beside(seconds[0] * 1000, processor=True)}")
        share, wait = idle(running.url)
    print(f"ten empty queues: {share:.2%} of a core, bar {MOST_IDLE_SHARE:.0%}")
    print(f"a message ends the wait: p95 {wait:.1f} ms beyond the round trip, bar {MOST_WAIT_MS:g} ms")
    return int(max(wall, cpu) < LEAST_RATIO or share > MOST_IDLE_SHARE or wait > MOST_WAIT_MS)


if __name__ == "__main__":
    sys.exit(main())
