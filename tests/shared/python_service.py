"""A service in generated Python that sends and handles JSON lines, for tests beside a service in another language."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

__all__ = ["source", "talk"]

_SOURCE = """
import json, sys
import messages
from babelqueue import BabelQueue

url, lines = sys.argv[1], sys.stdin.read().splitlines()
producers = [getattr(messages, name) for name in messages.__all__ if name.endswith("Producer") and name != "AsyncProducer"]
by_urn = {producer.message.urn: producer for producer in producers}
sender = BabelQueue(url, queue=OUTBOX)
for line in map(json.loads, lines):
    producer = by_urn[line["urn"]]
    producer(sender, queue=OUTBOX).send(producer.message.parse(line["data"]))

consumer = messages.Consumer(BabelQueue(url, queue=INBOX))
for urn, producer in by_urn.items():
    def handle(data, context, message=producer.message):
        print(json.dumps({"urn": message.urn, "data": message.dump(data)}))
    consumer.on(producer.message.model)(handle)
handled = 0
while handled < len(lines):  # a run ends early where the queue is empty
    handled += consumer.run(INBOX, max_messages=len(lines) - handled)
"""


def source(inbox: str, outbox: str) -> str:
    """Return a program that takes the URL of a broker, and on its input lines with ``urn`` and ``data``.

    It sends each line to ``outbox``, then handles as many messages of ``inbox``, and prints them as such lines.
    """
    return _SOURCE.replace("INBOX", repr(inbox)).replace("OUTBOX", repr(outbox))


def talk(commands: list[list[str]], folder: Path, lines: str) -> list[list[Any]]:
    """Run ``commands`` in ``folder`` at the same time, with ``lines`` as input; return the lines that each prints."""
    processes = [
        subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for command in commands
    ]  # fmt: skip
    try:
        for process in processes:  # all send first
            assert process.stdin is not None
            process.stdin.write(lines)
            process.stdin.close()
            process.stdin = None
        results = [process.communicate(timeout=100) for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [process.returncode for process in processes] == [0] * len(commands), [error for _, error in results]
    return [[json.loads(line) for line in output.splitlines()] for output, _ in results]
