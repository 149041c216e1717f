"""Four workers with a ledger in SQLite beside one: ``python benchmarks/ledger_workers.py [--messages 200]``.

Each worker is a thread with a consumer and a queue of its own; all share one database. The handler waits, as one that
calls another service does, and then writes. With ``lock="write"`` the waits of four workers overlap; with
``lock="handler"`` one handler runs at a time. The bar: with ``lock="write"`` four take half the time of one, or less.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "runtime" / "shared")]

import machine  # noqa: E402
import runtime_messages as on  # noqa: E402

from babelreg.runtime import Consumer, Context, SqliteLedger  # noqa: E402

MOST_SHARE = 0.5
WAIT_SECONDS = 0.02
LOCKS: tuple[Literal["handler", "write"], ...] = ("handler", "write")


def prepare(connection: sqlite3.Connection) -> None:
    """Let a commit be quick, so that the waits of the handlers count."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")


def work(ledger: SqliteLedger, count: int) -> None:
    """Handle ``count`` messages of a queue of its own."""
    app = on.app()
    consumer = Consumer(app, ledger=ledger)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        time.sleep(WAIT_SECONDS)
        context.connection.execute("INSERT INTO orders VALUES (?)", (order.order_id,))

    for _ in range(count):
        on.put(app, on.envelope())
    consumer.run(max_messages=count, timeout_seconds=0.01)
    ledger.close()


def seconds_of(workers: int, lock: Literal["handler", "write"], count: int, path: Path) -> float:
    """Return what ``count`` messages take, shared out to ``workers``; raises ValueError unless each is written once."""
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE orders (id INTEGER)")
    ledger = SqliteLedger(path, lock=lock, prepare=prepare)
    threads = [threading.Thread(target=work, args=(ledger, count // workers)) for _ in range(workers)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - started
    ledger.close()
    written = sqlite3.connect(path).execute("SELECT count(*) FROM orders").fetchone()[0]
    if written != count:
        raise ValueError(f"{written} of {count} messages were written")
    return seconds


def main() -> int:
    """Print a line for each lock and number of workers; return 1 where the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=200, help="a multiple of four")
    count = parser.parse_args().messages // 4 * 4
    print(machine.described())
    share = 1.0
    for lock in LOCKS:
        with tempfile.TemporaryDirectory() as folder:
            taken = {workers: seconds_of(workers, lock, count, Path(folder) / f"{workers}.db") for workers in (1, 4)}
        for workers, seconds in taken.items():
            rate = f"{count / seconds:7.0f} messages/s"
            print(f"{lock:8} {workers} workers {seconds:7.2f} s {rate} {machine.beside(seconds)}")
        share = taken[4] / taken[1]
    print(f"lock=write: four workers take {share:.2f} of the time of one, bar {MOST_SHARE:g}")
    return int(share > MOST_SHARE)


if __name__ == "__main__":
    sys.exit(main())
