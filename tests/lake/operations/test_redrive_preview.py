"""The preview of a redrive counts what the redrive then does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.errors import UsageError
from babelreg.lake.operations.redrive_preview import RedrivePreview, preview
from babelreg.model import Registry
from babelreg.spark import ingest, redrive

CREATED, PAID = "urn:babel:orders:created", "urn:babel:orders:paid"
Make = Callable[..., Registry]


def _schemas(minimum: int) -> dict[str, Any]:
    schema = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer", "minimum": minimum}}}
    return {CREATED: schema, PAID: schema}


def _message(urn: str, identity: str, data: Any) -> str:
    meta = {"id": identity, "queue": "orders", "lang": "go", "schema_version": 1, "created_at": 1_780_000_000_123}
    return json.dumps({"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": 0})


@pytest.fixture
def lake(make_registry: Make, tmp_path: Path) -> Path:
    """Rows that a lower minimum lets pass, rows that nothing does, an id that is taken, and one too long for BIGINT."""
    (tmp_path / "in").mkdir()
    lines = [_message(CREATED, f"c-{n}", {"id": n - 5}) for n in range(10)]
    lines += [_message(PAID, f"p-{n}", {"id": -1}) for n in range(3)]
    lines += [
        _message(CREATED, "c-9", {"id": 9}),
        _message(CREATED, "long", {"id": 2**70}),
        "{",
        _message(PAID, "x", {}),
    ]
    (tmp_path / "in" / "a.jsonl").write_text("\n".join(lines) + "\n")
    ingest("local", make_registry(_schemas(0)), tmp_path / "in", tmp_path / "lake")
    return tmp_path / "lake"


def _tree(lake: Path) -> dict[str, bytes]:
    return {path.relative_to(lake).as_posix(): path.read_bytes() for path in lake.rglob("*") if path.is_file()}


def test_the_preview_counts_what_the_redrive_does(lake: Path, make_registry: Make) -> None:
    registry = make_registry(_schemas(-3))
    before = _tree(lake)
    found = preview(lake, registry)
    assert _tree(lake) == before
    assert found.reasons["below_minimum"] == (6, 2)
    assert found.reasons["id_conflict"] == (0, 1)

    summary = redrive("local", registry, lake)
    assert (found.messages, found.passing, found.staying) == (summary.read, summary.tables, summary.reasons)
    assert preview(lake, registry).passing == {}


def test_a_preview_is_of_the_selected_rows(lake: Path, make_registry: Make) -> None:
    registry = make_registry(_schemas(-3))
    assert preview(lake, registry, urns=[PAID], reasons=["below_minimum"]) == RedrivePreview(
        3, {PAID: 3}, {}, {"below_minimum": (3, 0)}
    )
    with pytest.raises(UsageError, match="no message is ever refused for 'too_smal'"):
        preview(lake, registry, reasons=["too_smal"])


def test_what_a_run_would_refuse_the_preview_refuses(lake: Path, make_registry: Make) -> None:
    with pytest.raises(UsageError, match="which the registry"):
        preview(lake, make_registry({PAID: {"type": "object"}}))


def test_messages_of_another_wire_become_envelopes_first(make_registry: Make, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    message = {
        "id": "V1StGXR8Z5jdHi6BmyT2", "messageType": "request", "context": "Orders", "operation": "createOrder",
        "timestamp": "2026-06-25T04:08:22.000Z", "payload": {"id": 1}, "metadata": {},
    }  # fmt: skip
    (tmp_path / "in" / "a.jsonl").write_text(json.dumps(message) + "\n")
    ingest("local", make_registry(_schemas(0)), tmp_path / "in", tmp_path / "lake", wire="strata")
    names = f'{{Orders: {{createOrder: {{request: "{CREATED}"}}}}}}'
    mapped = make_registry(_schemas(0), f"version: 1\nwires: {{strata: {names}}}\n")
    assert preview(tmp_path / "lake", make_registry(_schemas(0))).staying == {"unmapped_name": 1}
    assert preview(tmp_path / "lake", mapped) == RedrivePreview(1, {CREATED: 1}, {}, {"unmapped_name": (1, 0)})
