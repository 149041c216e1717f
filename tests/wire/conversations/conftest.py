"""Generated codecs of one registry, and the peers that talk to services built on them."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from types import ModuleType
from typing import Any

import pytest
from generated import write_package

from babelreg import load

HERE = Path(__file__).parent
SETTINGS = b"""version: 1
wires:
  flowlayer:
    commands:
      get_snapshot: urn:babel:ops:snapshot.get
      start_service: urn:babel:ops:service.start
      get_logs: urn:babel:ops:logs.get
    events: {service_status: urn:babel:ops:service.changed}
  phpmq: {queues: {Orders: urn:babel:orders:order.create, Notes: urn:babel:orders:note.write}}
  strata:
    orders:
      create: {request: urn:babel:orders:order.create, response: urn:babel:orders:order.created}
      note: {post: urn:babel:orders:note.write}
"""
TEXT = {"type": "string"}
SCHEMAS: dict[str, dict[str, Any]] = {
    "ops:snapshot.get": {"properties": {}},
    "ops:service.start": {"required": ["service"], "properties": {"service": TEXT}},
    "ops:logs.get": {"properties": {"service": TEXT, "limit": {"type": "integer", "minimum": 1}}},
    "ops:service.changed": {
        "required": ["service", "status", "timestamp"],
        "properties": {"service": TEXT, "status": TEXT, "timestamp": {**TEXT, "format": "date-time"}},
    },
    "orders:order.create": {
        "required": ["order_id", "amount"],
        "properties": {"order_id": {"type": "integer"}, "amount": TEXT, "note": TEXT},
    },
    "orders:order.created": {"required": ["accepted"], "properties": {"accepted": {"type": "boolean"}}},
    "orders:note.write": {"required": ["content"], "properties": {"content": {**TEXT, "minLength": 3}}},
}


@pytest.fixture(scope="session")
def codecs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, ModuleType]]:
    """The packages of `gen python --wire`, by wire."""
    files = {"babelreg.yaml": SETTINGS}
    for name, schema in SCHEMAS.items():
        context, operation = name.split(":")
        message = {
            "urn": f"urn:babel:{name}",
            "kind": "command",
            "status": "active",
            "data": {"type": "object", **schema},
        }
        files[f"{context}/_context.yaml"] = b"owner: team\n"
        files[f"{context}/{operation}.yaml"] = json.dumps(message).encode()
    registry = load.from_tree(load.files.tree.Memory(files))
    assert not registry.defects
    out = tmp_path_factory.mktemp("codecs")
    wires = ("flowlayer", "phpmq", "strata")
    for wire in wires:
        write_package(out / wire, registry, {"wire": wire, "package": f"conversation_{wire}"})
    sys.path[:0] = folders = [str(out / wire) for wire in wires]
    yield {wire: importlib.import_module(f"conversation_{wire}") for wire in wires}
    for folder in folders:
        sys.path.remove(folder)


class PeerProcess:
    """A peer as a process. What it prints is read at once: a full pipe would end the conversation."""

    def __init__(self, *command: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(HERE.parents[1] / "shared")}
        self._process = subprocess.Popen(
            command, cwd=HERE, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._lines.put(line)

    def line(self) -> dict[str, Any]:
        """Return its next line."""
        return dict(json.loads(self._lines.get(timeout=60)))

    def report(self) -> list[dict[str, Any]]:
        """Return its other lines when it has ended. Each case must pass."""
        status = self._process.wait(120)
        self._reading.join()
        texts = [self._lines.get() for _ in range(self._lines.qsize())]
        assert all(text.startswith(b"{") for text in texts), b"".join(texts[-30:]).decode()
        lines = [json.loads(text) for text in texts]
        shown = ("case", "demanded", "answer", "problems")
        failed = [
            "  ".join(f"{name}: {line[name]}" for name in shown if name in line)[:500]
            for line in lines
            if not line["passes"]
        ]
        assert not failed, "\n".join(failed)
        assert status == 0
        return lines

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reading.join()


@pytest.fixture
def peer() -> Iterator[Callable[..., PeerProcess]]:
    """Start a peer: a file of this folder and its arguments."""
    processes = []

    def start(file: str, *arguments: object) -> PeerProcess:
        interpreter = sys.executable if file.endswith(".py") else "php"
        processes.append(PeerProcess(interpreter, file, *map(str, arguments)))
        return processes[-1]

    yield start
    for process in processes:
        process.end()
