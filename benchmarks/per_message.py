"""CPU time of producing and consuming one message, beside that of an earlier commit.

    python benchmarks/per_message.py [--commit e6a0d8cf] [--broker memory|redis] [--messages 1000] [--pairs 60]

The example registry's package is generated with the earlier commit (of the git repository that this checkout is) and
with this checkout. One process for each stays alive and takes turns with the other, in alternating order: on a busy
machine both see the same load. ``consume`` is ``Consumer.run`` with a plain handler, without a ledger. On Redis the
client's share is measured, not the server's. Prints the middle times and the middle ratio of the pairs with its
quartiles, and exits with 1 where three quarters of the pairs are above the bar of 1.0: the middle one is so by chance
where nothing has changed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "shared"), str(ROOT / "tests" / "runtime" / "shared")]

import package_import  # noqa: E402
import redis_server  # noqa: E402

EXAMPLE = ROOT / "registry.example"
BAR = 1.0
STEPS = ("produce", "consume")
SIZES = ("small", "large")
SIDES = ("before", "now")
ROUND = """
import gc, json, logging, sys, time
from babelqueue import BabelQueue
from messages import Consumer, OrdersCreatedV2, OrdersCreatedV2Producer
from messages.orders_created_v2 import Money, OrdersCreatedV2Line

logging.disable(logging.WARNING)
url, queue = sys.argv[1:]

def small():
    return OrdersCreatedV2(order_id=1042, total=Money(minor=9990, currency="EUR"))

def large():
    price = Money(minor=1275, currency="SEK")
    lines = [OrdersCreatedV2Line(sku="TEA-100", qty=2, unit_price=price) for _ in range(3)]
    total, email = Money(minor=9990, currency="EUR"), "ada@example.com"
    return OrdersCreatedV2(order_id=1042, total=total, email=email, lines=lines, placed_at="2026-11-20T09:30:00Z")

def round_of(build, count):
    app = BabelQueue(url, queue=queue)
    send, handled = OrdersCreatedV2Producer(app, queue=queue).send, []
    consumer = Consumer(app)
    consumer.on(OrdersCreatedV2)(lambda order, context: handled.append(order.order_id))
    gc.collect()
    started = time.process_time()
    for number in range(count):
        send(build())
    sent = time.process_time()
    consumer.run(queue, max_messages=count, timeout_seconds=0.01)
    ended = time.process_time()
    assert len(handled) == count, len(handled)
    app.transport.close()
    return [sent - started, ended - sent]

for line in sys.stdin:
    print(json.dumps([round_of(build, int(line)) for build in (small, large)]), flush=True)
"""


class Worker:
    """A process that measures one generated package, a round at a time."""

    def __init__(self, folder: Path, url: str) -> None:
        command = [sys.executable, "round.py", url, folder.name]
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=folder, env=env, stdin=pipe, stdout=pipe, text=True)

    def seconds(self, count: int) -> dict[tuple[str, str], float]:
        """CPU seconds of each step for ``count`` messages of each size."""
        print(count, file=_open(self.process.stdin), flush=True)
        sizes = json.loads(_open(self.process.stdout).readline())
        return {(step, size): sizes[row][column] for row, size in enumerate(SIZES) for column, step in enumerate(STEPS)}


def _open(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


@contextmanager
def broker(kind: str) -> Iterator[str]:
    """Yield the URL of a broker of this kind."""
    if kind == "memory":
        yield "memory://"
        return
    with redis_server.running() as server:
        yield server.url


@contextmanager
def workers(scratch: Path, commit: str, url: str) -> Iterator[dict[str, Worker]]:
    """Generate both packages, and yield their processes by name."""
    checkouts = {"before": package_import.checkout_of(commit, scratch / "checkout"), "now": ROOT}
    with ExitStack() as stack:
        started = {}
        for name in SIDES:
            package_import.generate(checkouts[name], EXAMPLE, scratch / name)
            (scratch / name / "round.py").write_text(ROUND, "utf-8")
            started[name] = Worker(scratch / name, url)
            stack.callback(started[name].process.wait)
            stack.callback(started[name].process.terminate)
        yield started


def measure(running: dict[str, Worker], count: int, pairs: int) -> bool:
    """Print the table; return True where every bar is kept."""
    for name in SIDES:
        running[name].seconds(count)  # to warm up
    rounds = []
    for number in range(pairs):
        order = SIDES[:: 1 if number % 2 else -1]
        rounds.append({name: running[name].seconds(count) for name in order})
    kept = True
    for which in product(STEPS, SIZES):
        before, now = (statistics.median(times[name][which] for times in rounds) / count * 1e6 for name in SIDES)
        ratios = [times["now"][which] / times["before"][which] for times in rounds]
        low, ratio, high = statistics.quantiles(ratios, n=4)
        kept = kept and low <= BAR
        quartiles = f"quartiles {low:.3f} {high:.3f}"
        print(f"{' '.join(which)} before {before:6.1f} us  now {now:6.1f} us  {ratio:6.3f}x  ({quartiles}, bar {BAR}x)")
    return kept


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", default="e6a0d8cf")
    parser.add_argument("--broker", choices=("memory", "redis"), default="memory")
    parser.add_argument("--messages", type=int, default=1_000)
    parser.add_argument("--pairs", type=int, default=60)
    args = parser.parse_args()
    if args.broker == "redis" and redis_server.PROGRAM is None:
        sys.exit("redis-server is not on the path: apt-get install redis-server")
    with ExitStack() as stack:
        url = stack.enter_context(broker(args.broker))
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        kept = measure(stack.enter_context(workers(scratch, args.commit, url)), args.messages, args.pairs)
    sys.exit(not kept)


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    main()
