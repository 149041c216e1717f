"""``babelreg wire`` in this process, with bytes in and out."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from babelreg.cli import main

STRATA = {
    "id": "V1StGXR8Z5jdHi6BmyT2",
    "messageType": "post",
    "context": "orders",
    "operation": "created",
    "timestamp": "2024-06-25T04:08:22.000Z",
    "payload": {"order_id": 1042},
    "metadata": {},
    "client": "shop",
}
PHPMQ = (
    b"H0100103P0100000000000000000000000000003FooP0200000000000000000000000000011Hello World"
    b"P05000000000000000000000000000043600"
)
URN = "urn:babel:orders:created"
ENVELOPE = {
    "job": URN,
    "trace_id": "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b",
    "data": {"order_id": 1042},
    "meta": {"id": "f1e2d3c4-b5a6-4789-90ab-cdef01234567", "queue": "orders", "lang": "go", "schema_version": 1,
             "created_at": 1749132727000},
    "attempts": 0,
}  # fmt: skip


def lines(*messages: object) -> bytes:
    """Messages as compact JSON, one a line."""
    return b"".join(json.dumps(message, separators=(",", ":")).encode() + b"\n" for message in messages)


@pytest.fixture
def wire(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, bytes, str]]:
    """A function that runs ``babelreg`` on given input; it returns exit code, stdout and stderr."""

    def run(*args: object, given: bytes = b"") -> tuple[int, bytes, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in args])
        captured = capsysbinary.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err.decode()

    return run


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    """A registry of one message that Strata, PHPMQ and FlowLayer have names for."""
    root = tmp_path / "registry"
    (root / "orders").mkdir(parents=True)
    wires = {
        "strata": {"Orders": {"createdOrder": {"post": URN}}},
        "phpmq": {"queues": {"Foo": URN}},
        "flowlayer": {"events": {"OrderCreated": URN}},
    }
    (root / "babelreg.yaml").write_text(f"version: 1\nwires: {json.dumps(wires)}\n")
    (root / "orders/_context.yaml").write_text("owner: team-orders\n")
    schema = {"type": "object", "required": ["order_id"], "properties": {"order_id": {"type": "integer", "minimum": 1}}}
    (root / "orders/created.yaml").write_text(json.dumps({"urn": URN, "kind": "event", "data": schema}))
    return root
