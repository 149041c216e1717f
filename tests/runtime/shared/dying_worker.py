"""A worker that kills itself in its handler: each call is a line of the log, with what its ledger has counted by then.

    dying_worker.py URL QUEUE FOLDER LIMIT FATAL_ORDER

It ends when no message arrives for a while. What is counted is read on a connection of its own: only what is committed
shows there.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import broker_worker
import runtime_messages as on

from babelreg.runtime import Consumer, Context, SqliteLedger

__all__ = ["work"]


def work(url: str, queue: str, folder: Path, limit: int, fatal: int) -> None:
    """Handle the orders of ``queue``, and die with order ``fatal``."""
    app = broker_worker.app(url, queue)
    consumer = Consumer(app, ledger=SqliteLedger(folder / "service.db"), delivery_limit=limit)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        other = sqlite3.connect(folder / "service.db")
        counts = other.execute("SELECT deliveries FROM babelreg_handled_deliveries").fetchall()
        other.close()
        with (folder / "calls.log").open("a") as log:
            log.write(f"{order.order_id} {counts}\n")
        if order.order_id == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    consumer.run(queue, max_messages=100, timeout_seconds=8.0)
    app.transport.close()


if __name__ == "__main__":
    work(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]))
