"""Producing and consuming beside the bare babelqueue package, on its memory transport, in one run.

    python benchmarks/runtime.py [--messages 5000] [--rounds 7]

Generates the example registry's package into a temporary folder. The bare package gets ready dictionaries and handles
what it likes; ours builds the model, validates and encodes, and decodes, gates, validates, parses and dispatches.
Prints CPU time per message, and exits with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

import machine  # noqa: E402
from babelqueue import BabelQueue  # noqa: E402

from babelreg import load  # noqa: E402
from babelreg.gen.targets.python import target  # noqa: E402
from babelreg.gen.write import write  # noqa: E402

EXAMPLE = ROOT / "registry.example"
URN = "urn:babel:orders:created.v2"
BARS = {"produce": 0.7, "consume": 1.3}


def new_app() -> BabelQueue:
    """An app on a broker of its own in memory."""
    return BabelQueue("memory://", queue="orders")


def timed(step: Callable[[], Any]) -> float:
    """The CPU seconds that ``step`` takes."""
    started = time.process_time()
    step()
    return time.process_time() - started


def bare(data: dict[str, Any], count: int) -> tuple[float, float]:
    """CPU seconds of producing and of consuming ``count`` messages by the bare package."""
    app = new_app()

    def produce() -> None:
        for _ in range(count):
            app.publish(URN, data)

    app.register(URN, lambda data, meta: None)
    return timed(produce), timed(lambda: app.consume(max_messages=count, timeout=0.01))


def ours(build: Callable[[], Any], package: Any, count: int) -> tuple[float, float]:
    """The same by the generated package."""
    app = new_app()
    send = package.OrdersCreatedV2Producer(app).send

    def produce() -> None:
        for _ in range(count):
            send(build())

    consumer = package.Consumer(app)
    handled: list[int] = []
    consumer.on(package.OrdersCreatedV2)(lambda order, context: handled.append(order.order_id))
    result = timed(produce), timed(lambda: consumer.run(max_messages=count, timeout_seconds=0.01))
    assert len(handled) == count
    return result


def builders(module: Any) -> dict[str, tuple[dict[str, Any], Callable[[], Any]]]:
    """Per kind of message: its data, and how a service builds it."""
    money, order = module.Money, module.OrdersCreatedV2
    small = {"order_id": 1042, "total": {"minor": 9990, "currency": "EUR"}}
    line = {"sku": "TEA-100", "qty": 2, "unit_price": {"minor": 1275, "currency": "SEK"}}
    large = {**small, "email": "ada@example.com", "lines": [line] * 3, "placed_at": "2026-11-20T09:30:00Z"}

    def build_small() -> Any:
        return order(order_id=1042, total=money(minor=9990, currency="EUR"))

    def build_large() -> Any:
        lines = [
            module.OrdersCreatedV2Line(sku="TEA-100", qty=2, unit_price=money(minor=1275, currency="SEK"))
            for _ in range(3)
        ]
        total = money(minor=9990, currency="EUR")
        return order(order_id=1042, total=total, email="ada@example.com", lines=lines, placed_at="2026-11-20T09:30:00Z")

    return {"small": (small, build_small), "large": (large, build_large)}


def run(count: int, rounds: int) -> bool:
    """Prints the table; True when every bar is kept."""
    package = importlib.import_module("messages")
    module = importlib.import_module("messages.orders_created_v2")
    kept = True
    for name, (data, build) in builders(module).items():
        pairs = [(bare(data, count), ours(build, package, count)) for _ in range(rounds + 1)][1:]
        for which, what in enumerate(BARS):
            theirs = statistics.median(one[which] for one, _ in pairs) / count * 1e6
            own = statistics.median(two[which] for _, two in pairs) / count * 1e6
            ratio = statistics.median(one[which] / two[which] for one, two in pairs)
            kept = kept and ratio >= BARS[what]
            loops = f"{machine.beside(own / 1e6 * 1000, processor=True).strip()} per 1,000 of ours"
            print(
                f"{what} {name:<6} bare {theirs:6.1f} us  ours {own:6.1f} us  {ratio:5.2f}x  (bar {BARS[what]}x)  {loops}"
            )
    return kept


def main() -> None:
    """Read the arguments, generate, measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), "python", target.files(load.registry(EXAMPLE), {"runtime": "vendored"}))
        sys.path.insert(0, folder)
        sys.exit(not run(args.messages, args.rounds))


if __name__ == "__main__":
    main()
