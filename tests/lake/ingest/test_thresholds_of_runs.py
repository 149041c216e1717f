"""A batch above a threshold: committed and named, or held so that the next run reads its input again."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from babelreg.errors import UsageError
from babelreg.model import Registry
from babelreg.spark import BatchHeld, LocalEngine, Summary, files, ingest, watch

CREATED, PAID = "urn:babel:orders:created", "urn:babel:orders:paid"
SCHEMA = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
LOOSE = {**SCHEMA, "properties": {"id": {"type": ["integer", "null"]}}}


@pytest.fixture
def registry(make_registry: Callable[..., Registry]) -> Registry:
    return make_registry({CREATED: SCHEMA, PAID: SCHEMA})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """100 messages that are good, 10 that are not, and one that is no message at all."""
    (tmp_path / "in").mkdir()
    good = [_message(CREATED, f"g-{n}", n) for n in range(90)] + [_message(PAID, f"p-{n}", n) for n in range(10)]
    bad = [_message(CREATED, f"b-{n}", None) for n in range(10)]
    (tmp_path / "in" / "a.jsonl").write_text("\n".join([*good, *bad, "secret words"]) + "\n")
    return tmp_path


def _message(urn: str, identity: str, number: int | None) -> str:
    meta = {"id": identity, "queue": "orders", "lang": "go", "schema_version": 1, "created_at": 1_780_000_000_123}
    return json.dumps({"job": urn, "trace_id": "t", "data": {"id": number}, "meta": meta, "attempts": 0})


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_batch_above_fail_above_is_committed_and_named(engine: LocalEngine, registry: Registry, home: Path) -> None:
    summary = ingest(engine, registry, home / "in", home / "out", fail_above={"total": "5%", CREATED: "1%", PAID: "0%"})
    assert (summary.batch, summary.held, summary.quarantined) == (1, False, 11)
    assert [(above.scope, above.quarantined, above.read) for above in summary.exceeded] == [
        ("total", 11, 111),
        (CREATED, 10, 100),
    ]
    assert summary.refused == {CREATED: {"not_an_integer": 10}, "other": {"invalid_json": 1}}
    assert ingest(engine, registry, home / "in", home / "out", fail_above="0%").exceeded == ()


def test_nothing_of_a_batch_above_hold_above_is_committed(engine: LocalEngine, registry: Registry, home: Path) -> None:
    first = ingest(engine, registry, home / "in", home / "out", hold_above="20%")
    with (home / "in" / "a.jsonl").open("a") as file:
        file.write("\n".join([_message(PAID, f"x-{n}", None) for n in range(100)]) + "\n")
    before = _contents(home / "out")
    with pytest.raises(BatchHeld) as held:
        ingest(engine, registry, home / "in", home / "out", hold_above="20%")
    assert _contents(home / "out") == before
    summary = held.value.summary
    assert summary is not None
    assert (summary.held, summary.batch, summary.read, summary.quarantined) == (True, None, 100, 100)
    assert [(above.scope, above.share, above.limit) for above in summary.exceeded] == [("total", "100%", "20%")]
    assert held.value.exit_code == 1

    again = ingest(engine, registry, home / "in", home / "out", hold_above="100%")
    assert (again.batch, again.read, again.quarantined) == (2, 100, 100)
    assert first.read == 111


def test_a_held_batch_shows_where_refused_messages_are_and_nothing_of_them(
    engine: LocalEngine, registry: Registry, home: Path
) -> None:
    with pytest.raises(BatchHeld) as held:
        ingest(engine, registry, home / "in", home / "out", hold_above="5%")
    examples = {example.reason: example for example in held.value.summary.examples}
    assert sorted(examples) == ["invalid_json", "not_an_integer"]
    body = (home / "in" / "a.jsonl").read_bytes()
    assert body[examples["invalid_json"].offset :].startswith(b"secret words")
    assert (examples["not_an_integer"].urn, examples["not_an_integer"].pointer) == (CREATED, "/data/id")
    assert "secret" not in json.dumps(held.value.summary.as_json())
    with pytest.raises(UsageError, match="has no table"):
        files(home / "out", CREATED)


def test_thresholds_of_the_settings_hold_where_none_is_given(
    engine: LocalEngine, make_registry: Callable[..., Registry], home: Path
) -> None:
    settings = f"version: 1\nspark: {{hold_above: {{{CREATED}: 5%}}, fail_above: 5%}}\n"
    registry = make_registry({CREATED: SCHEMA, PAID: SCHEMA}, settings)
    with pytest.raises(BatchHeld):
        ingest(engine, registry, home / "in", home / "out")
    summary = ingest(engine, registry, home / "in", home / "out", hold_above={CREATED: "50%"})
    assert [above.scope for above in summary.exceeded] == ["total"]


def test_a_threshold_of_an_unknown_urn_is_refused_before_anything_starts(registry: Registry, home: Path) -> None:
    def never() -> Any:
        raise AssertionError("a session was started")

    with pytest.raises(UsageError, match="which is not in the registry"):
        ingest(never, registry, home / "in", home / "out", hold_above={"urn:babel:orders:creatd": "5%"})
    assert not (home / "out").exists()


@pytest.mark.parametrize(
    "limits, batches, held",
    [
        pytest.param({"fail_above": "5%"}, [1], False, id="after the batch that fails"),
        pytest.param({"hold_above": "5%"}, [], True, id="before the batch that is held"),
    ],
)
def test_watch_ends(
    limits: dict[str, str], batches: list[int], held: bool, engine: LocalEngine, registry: Registry, home: Path
) -> None:
    told: list[Summary] = []
    stop = threading.Event()
    try:
        watch(
            engine, lambda: registry, home / "in", home / "out", stop=stop, told=told.append, every_seconds=60, **limits
        )
        ended = False
    except BatchHeld:
        ended = True
    assert ([summary.batch for summary in told], ended) == (batches, held)


def test_a_summary_of_a_held_batch_is_json(registry: Registry) -> None:
    summary = replace(Summary("in", "out"), held=True)
    assert json.loads(json.dumps(summary.as_json()))["held"] is True
