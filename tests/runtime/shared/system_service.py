"""One service of the system test, as a process: ``system_service.py PACKAGE URL LOG [START]``, on its package.

Every message that a handler handles is a line of LOG: its URN and its id. As long as a file LOG with the suffix
``.fails`` exists, messages with the URNs in it are rejected. All services have one database for their ledgers.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from babelqueue import BabelQueue


def consumer_of(package: str, url: str, log: Path) -> Any:
    module = importlib.import_module(package)
    consumer = module.Consumer(BabelQueue(url), ledger=module.SqliteLedger(log.with_name("shared.db"), lock="write"))
    fails = log.with_suffix(".fails")
    lines = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def handle(data: Any, context: Any) -> None:
        if fails.exists() and context.urn in fails.read_text().split():
            raise module.Reject("planned")
        os.write(lines, f"{context.urn} {context.message_id}\n".encode())

    for name in module.Consumer.consumes.values():
        consumer.on(getattr(module, name))(lambda data, context: handle(data, context))
    return consumer


def tell(consumer: Any, ready: Path) -> None:
    """Make the file once the consumer asks its queues, with its subscriptions declared."""
    while consumer.liveness.seconds_since_activity is None:
        time.sleep(0.01)
    ready.touch()


if __name__ == "__main__":
    package, url, log = sys.argv[1:4]
    options = {"start": sys.argv[4]} if len(sys.argv) > 4 else {}
    consumer = consumer_of(package, url, Path(log))
    threading.Thread(target=tell, args=(consumer, Path(log).with_suffix(".ready")), daemon=True).start()
    consumer.run(timeout_seconds=0.2, **options)
