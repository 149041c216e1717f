"""The application of docs/python.md: FastAPI, served by uvicorn, with a consumer in its event loop."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import httpx
import pytest
from server import Server, free_port, listens

from babelreg import load
from babelreg.gen.targets.python import target
from babelreg.gen.write import write

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "python.md").read_text("utf-8")
REGISTRY = {
    "babelreg.yaml": "version: 1\n",
    "orders/_context.yaml": "context: orders\nowner: team-orders\ndescription: Orders.\n",
    "_services/orders-worker.yaml": "owner: team-orders\nlang: python\n",
    "_common/money.yaml": """\
type: object
required: [minor, currency]
properties: {minor: {type: integer, minimum: 0}, currency: {type: string}}
""",
    "orders/created.yaml": """\
urn: urn:babel:orders:created
kind: event
status: active
description: An order was created.
owner: team-orders
queue: orders
producers: [orders-worker]
consumers: [orders-worker]
data:
  type: object
  required: [id, total]
  properties: {id: {type: integer}, total: {$ref: ../_common/money.yaml}}
""",
}


@pytest.fixture
def service(tmp_path: Path) -> Path:
    """A folder with the application and its generated package."""
    for path, text in REGISTRY.items():
        (tmp_path / "registry" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "registry" / path).write_text(text)
    write(tmp_path, "python", target.files(load.registry(tmp_path / "registry"), {"runtime": "vendored"}))
    (block,) = (text for text in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "FastAPI" in text)
    (tmp_path / "shop.py").write_text(block)
    return tmp_path


def test_an_application_sends_and_handles_in_one_event_loop_and_ends_on_sigterm(service: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "shop:api", "--app-dir", str(service), "--port", str(port)]
    url = f"http://127.0.0.1:{port}"
    server = Server(url, command, service / "log", lambda: listens(port), 60)
    server.start()
    try:
        with httpx.Client(base_url=url, timeout=30) as client:
            sent = [client.post(f"/orders/{number}").raise_for_status().json() for number in range(1, 21)]
            assert len(set(sent)) == 20
            invoices: list[int] = []
            while len(invoices) < 20:
                invoices = client.get("/invoices").raise_for_status().json()
        assert sorted(invoices) == list(range(1, 21))
        assert server.process is not None
        server.process.terminate()
        assert server.process.wait(30) in (0, -15)
        log = (service / "log").read_text()
        assert "Application shutdown complete" in log
        assert "Error" not in log
    finally:
        server.crash()
