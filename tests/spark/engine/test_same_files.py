"""Spark and the engine without a JVM write the same files: each row of each table, and the quarantine, in one order."""

from __future__ import annotations

import gzip
import importlib
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from babelreg.lake.engine import local_engine
from babelreg.lake.input import message_files
from babelreg.lake.storage.log import manifest
from babelreg.model import Registry
from babelreg.spark import LocalEngine, all_files, compact, files, ingest, redrive

sys.path.insert(0, str(Path(__file__).parents[2] / "lake" / "shared"))
import foreign
import hostile_messages
import mutants
import once

pytestmark = pytest.mark.spark

Make = Callable[..., Registry]
Run = Callable[[Any, Path], None]
"""Runs on the lake in a folder, with an engine."""

MIXED = [
    pytest.param(1, id="any messages"),
    *(pytest.param(seed, id=f"any messages, seed {seed}", marks=pytest.mark.long) for seed in range(2, 12)),
]


def _write(folder: Path, number: int, messages: list[bytes]) -> None:
    """Write a file of messages in one of the forms that there are."""
    folder.mkdir(exist_ok=True)
    lines = b"".join(message + b"\n" for message in messages)
    framed = b"".join(len(message).to_bytes(4) + message for message in messages)
    name, content = [
        (f"{number}.jsonl", lines),
        (f"{number}.jsonl.gz", gzip.compress(lines)),
        (f"{number}.frames", framed),
        (f"{number}.zst", pa.Codec("zstd").compress(lines, asbytes=True)),
        (f"{number}.frames.gz", gzip.compress(framed)),
    ][number % 5]
    (folder / name).write_bytes(content)


def _with_other_content(message: bytes) -> bytes:
    """Return the message with other data and the same id, if it can be read; it goes to quarantine."""
    try:
        body = json.loads(message)
        body["data"]["added"] = True
    except (ValueError, TypeError, KeyError, RecursionError):
        return message
    return json.dumps(body).encode()


def _any_messages(seed: int, tmp_path: Path) -> Run:
    """Messages that are nearly right, repeated within a batch, in a later one, and with other content."""
    chance, sent = random.Random(seed), list(mutants.messages(200, seed))
    sent = [message for message in sent if b"\n" not in message and not message.isspace()]
    for number in range(10):
        known = sent[: 20 * number + 20]
        again = [chance.choice(known) for _ in range(9)]
        changed = [_with_other_content(chance.choice(known)) for _ in range(9)]
        messages = [*sent[20 * number : 20 * number + 20], *again, *changed]
        chance.shuffle(messages)
        _write(tmp_path / f"in{number // 5}", number, messages)
    registry = mutants.registry()

    def run(engine: Any, lake: Path) -> None:
        summaries = [ingest(engine, registry, tmp_path / f"in{number}", lake, compacting=False) for number in (0, 1)]
        assert all(summary.duplicates and summary.reasons["id_conflict"] for summary in summaries)
        compact(engine, lake, at_least=2, grace_seconds=0)

    return run


@pytest.fixture
def hostile(make_registry: Make, tmp_path: Path) -> Run:
    """Messages that are hard to store."""
    registry = make_registry({hostile_messages.URN: hostile_messages.SCHEMA})
    _write(tmp_path / "in", 2, [case.body for case in hostile_messages.CASES if len(case.body) < 1_000_000])

    def run(engine: Any, lake: Path) -> None:
        assert ingest(engine, registry, tmp_path / "in", lake, keep_duplicates=True).quarantined > 9

    return run


@pytest.fixture
def wires(make_registry: Make, tmp_path: Path) -> Run:
    """Messages of foreign wires, and some of them validated again."""
    before, now = make_registry(foreign.schemas(), foreign.WIRES), make_registry(foreign.schemas(99), foreign.WIRES)
    recordings = {
        "strata": foreign.strata_lines(),
        "flowlayer": foreign.flowlayer_lines(),
        "phpmq": foreign.phpmq_stream(),
        "babelqueue": foreign.envelope(1, "o1") + b"\n" + foreign.envelope(3, "b1") + b"\n",
    }
    for wire, content in recordings.items():
        (tmp_path / wire).mkdir()
        (tmp_path / wire / "a").write_bytes(content)

    def run(engine: Any, lake: Path) -> None:
        for wire in recordings:
            ingest(engine, before, tmp_path / wire, lake, wire=wire, compacting=False)
        assert redrive(engine, now, lake, reasons=["above_maximum"]).accepted == 2

    return run


@pytest.fixture
def runs(make_registry: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Batches with redrives of all and of some of the quarantine, conflicts there, and compactions."""
    monkeypatch.setattr(importlib.import_module("babelreg.lake.ingest.compaction"), "FANOUT", 3)
    strict, loose = make_registry(once.schemas(1)), make_registry(once.schemas(-5, "a"))
    chance = random.Random(5)
    for number in range(6):
        (tmp_path / f"in{number // 2}").mkdir(exist_ok=True)
        (tmp_path / f"in{number // 2}" / f"{number}").write_bytes(
            b"".join(once.lines(chance, number) for _ in range(9))
        )

    def run(engine: Any, lake: Path) -> None:
        for number in (0, 1):
            ingest(engine, strict, tmp_path / f"in{number}", lake)
        assert redrive(engine, loose, lake, reasons=["below_minimum"], grace_seconds=0).reasons["id_conflict"]
        ingest(engine, loose, tmp_path / "in2", lake)
        redrive(engine, loose, lake)
        assert compact(engine, lake, at_least=2, grace_seconds=0).batch

    return run


@pytest.fixture(params=["hostile", "wires", "runs", *MIXED])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    if isinstance(request.param, int):
        return _any_messages(request.param, tmp_path)
    found: Run = request.getfixturevalue(request.param)
    return found


def _contents(lake: Path) -> dict[str, bytes]:
    """Every file that counts; the writer's file has the time of the run."""
    paths = (path for folder in ("tables", "quarantine", "ids") for path in (lake / folder).rglob("*"))
    return {str(path.relative_to(lake)): path.read_bytes() for path in paths if path.is_file()}


def _rows(lake: Path) -> dict[str, pa.Table]:
    return {
        table: pa.concat_tables([parquet.ParquetFile(name).read() for name in names])
        for table, names in {**all_files(lake), "quarantine": files(lake, "quarantine")}.items()
    }


def test_all_files_are_the_same_byte_for_byte(run: Run, spark: Any, tmp_path: Path) -> None:
    run(spark, tmp_path / "by spark")
    with LocalEngine(2) as engine:
        run(engine, tmp_path / "local")
    assert manifest.read(tmp_path / "local") == manifest.read(tmp_path / "by spark")
    assert _contents(tmp_path / "local") == _contents(tmp_path / "by spark")


def test_rows_are_in_the_same_order_however_many_tasks_there_are(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("local", tmp_path / "usual")
    monkeypatch.setattr(local_engine, "_WORKER_BYTES", 1)
    monkeypatch.setattr(message_files, "SPLIT_BYTES", 4_000)
    usual = _rows(tmp_path / "usual")
    for workers in (1, 3):
        with LocalEngine(workers) as engine:
            run(engine, tmp_path / f"{workers}")
        other = _rows(tmp_path / f"{workers}")
        assert usual.keys() == other.keys()
        assert [table for table, rows in usual.items() if not rows.equals(other[table])] == [], workers
