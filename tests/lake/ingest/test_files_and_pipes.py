"""Ingest of a single file and of standard input: as the folder, exactly once, also when it is killed."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from babelreg.errors import UsageError
from babelreg.lake import Summary, all_files, files, ingest, redrive
from babelreg.lake.ingest.watch import watch
from babelreg.lake.storage.log import manifest
from babelreg.model import Registry

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import killing

URN = "urn:babel:orders:created"
SCHEMA = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
BODIES = tuple(
    json.dumps(
        {
            "job": URN,
            "trace_id": "t",
            "data": {"id": number if number % 4 else "?"},
            "meta": {"id": f"m-{number}", "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1},
            "attempts": 0,
        }
    ).encode()
    for number in range(20)
)
LINES = b"".join(body + b"\n" for body in BODIES)
FRAMES = b"".join(len(body).to_bytes(4, "big") + body for body in BODIES)
Pipe = Callable[[bytes], None]


@pytest.fixture
def registry(make_registry: Callable[..., Registry]) -> Registry:
    return make_registry({URN: SCHEMA})


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Pipe:
    """Makes bytes the standard input."""

    def piped(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return piped


def counts(summary: Summary) -> tuple[int, int, int, int]:
    return summary.read, summary.accepted, summary.duplicates, summary.quarantined


def stored(lake: Path) -> tuple[list[int], list[bytes]]:
    """The ids of accepted rows and the bytes of refused ones, in order."""
    tables = [pq.read_table(path)["data_json"].to_pylist() for path in all_files(lake).get(URN, ())]
    refused = [body for path in files(lake, "quarantine") for body in pq.read_table(path)["body"].to_pylist()]
    return sorted(json.loads(text)["id"] for rows in tables for text in rows), sorted(refused)


WHOLE = ([number for number in range(20) if number % 4], sorted(BODIES[::4]))


@pytest.mark.parametrize(
    "name, content",
    [
        pytest.param("a.jsonl", LINES, id="lines"),
        pytest.param("a.jsonl.gz", gzip.compress(LINES), id="gzip"),
        pytest.param("a.jsonl.zst", pa.compress(LINES, codec="zstd", asbytes=True), id="zstd"),
        pytest.param("a.frames", FRAMES, id="frames"),
        pytest.param("a.frames.gz", gzip.compress(FRAMES), id="packed frames"),
        pytest.param("_hidden.jsonl", LINES, id="a name that is left out of folders"),
    ],
)
def test_a_file_is_read_once_and_not_the_others_of_its_folder(
    name: str, content: bytes, engine: Any, registry: Registry, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "other.jsonl").write_bytes(b"damaged\n")
    (tmp_path / "in" / name).write_bytes(content)
    file, lake = tmp_path / "in" / name, tmp_path / "lake"
    assert counts(ingest(engine, registry, file, lake)) == (20, 15, 0, 5)
    assert stored(lake) == WHOLE
    assert ingest(engine, registry, file, lake).batch is None
    (tmp_path / "in" / "other.jsonl").unlink()
    if not name.startswith("_"):
        assert ingest(engine, registry, tmp_path / "in", lake).batch is None


def test_a_file_of_a_folder_that_was_read_goes_on_where_the_folder_ended(
    engine: Any, registry: Registry, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    file, lake = tmp_path / "in" / "a.jsonl", tmp_path / "lake"
    file.write_bytes(LINES)
    ingest(engine, registry, tmp_path / "in", lake)
    file.write_bytes(LINES + b"x\n")
    assert counts(ingest(engine, registry, file, lake)) == (1, 0, 0, 1)


def test_a_lake_beside_the_file_is_no_part_of_the_input(
    engine: Any, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_bytes(LINES)
    assert ingest(engine, registry, "a.jsonl", "lake").accepted == 15
    with pytest.raises(UsageError, match="is inside the output"):
        ingest(engine, registry, "lake/manifest/000001.json", "lake")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(LINES, id="lines"),
        pytest.param(gzip.compress(LINES), id="gzip"),
        pytest.param(pa.compress(LINES, codec="zstd", asbytes=True), id="zstd"),
    ],
)
def test_standard_input_has_the_rows_of_a_file_and_the_same_again_doubles_nothing(
    content: bytes, engine: Any, registry: Registry, pipe: Pipe, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    pipe(content)
    assert counts(ingest(engine, registry, "-", lake)) == (20, 15, 0, 5)
    assert stored(lake) == WHOLE
    pipe(content)
    again = ingest(engine, registry, "-", lake)
    assert (again.batch, again.known_files) == (None, 1)
    assert stored(lake) == WHOLE
    assert not (lake / ".staging").exists()


def test_messages_that_other_streams_had_are_duplicates(
    engine: Any, registry: Registry, pipe: Pipe, tmp_path: Path
) -> None:
    pipe(LINES)
    ingest(engine, registry, "-", tmp_path / "lake")
    pipe(b"\n".join(BODIES[9:]))
    assert counts(ingest(engine, registry, "-", tmp_path / "lake")) == (11, 0, 9, 2)


def test_a_file_and_a_stream_of_the_same_bytes_are_one_source(
    engine: Any, registry: Registry, pipe: Pipe, tmp_path: Path
) -> None:
    file, lake = tmp_path / "a.jsonl", tmp_path / "lake"
    part = LINES[: LINES.index(b"\n", len(LINES) // 2) + 1]
    pipe(part)
    first = ingest(engine, registry, "-", lake)
    file.write_bytes(part)
    assert ingest(engine, registry, file, lake).read == 0
    file.write_bytes(LINES)
    second = ingest(engine, registry, file, lake)
    pipe(LINES)
    assert ingest(engine, registry, "-", lake).read == 0
    assert first.read + second.read == 20
    assert stored(lake) == WHOLE


def test_a_pipe_with_a_name_is_a_stream(engine: Any, registry: Registry, tmp_path: Path) -> None:
    ours, theirs = os.pipe()
    os.write(theirs, LINES)
    os.close(theirs)
    try:
        summary = ingest(engine, registry, f"/dev/fd/{ours}", tmp_path / "lake")
    finally:
        os.close(ours)
    assert counts(summary) == (20, 15, 0, 5)


def test_an_empty_stream_is_nothing_new(engine: Any, registry: Registry, pipe: Pipe, tmp_path: Path) -> None:
    pipe(b"")
    summary = ingest(engine, registry, "-", tmp_path / "lake")
    assert (summary.batch, summary.known_files) == (None, 0)


def test_refused_messages_of_a_stream_can_pass_later(
    engine: Any, make_registry: Callable[..., Registry], registry: Registry, pipe: Pipe, tmp_path: Path
) -> None:
    few = make_registry({URN: {**SCHEMA, "properties": {"id": {"type": "integer", "maximum": 9}}}})
    pipe(LINES)
    assert ingest(engine, few, "-", tmp_path / "lake").quarantined == 13
    assert redrive(engine, registry, tmp_path / "lake").accepted == 8
    assert stored(tmp_path / "lake") == WHOLE


def test_a_run_that_is_killed_has_read_nothing_or_all(registry: Registry, tmp_path: Path) -> None:
    def run(lake: Path, content: bytes) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
            ingest("local", registry, "-", lake, compacting=False, publish=None)

    batches = []
    run(tmp_path / "before", LINES[: LINES.index(b"\n") + 1])
    for step in range(1, 100, 5):
        lake = tmp_path / str(step)
        shutil.copytree(tmp_path / "before", lake)
        killed = killing.killed(partial(run, lake, LINES), partial(killing.at, step, step % 2 == 0))
        batches.append(len(manifest.read(lake)))
        run(lake, LINES)
        assert stored(lake) == WHOLE
        if not killed:
            break
    assert not killed
    assert batches[0] == 1
    assert len(batches) > 5


def test_standard_input_is_refused_where_it_cannot_be_read(registry: Registry, tmp_path: Path) -> None:
    import threading

    from babelreg.spark import ingest as ingest_by_spark

    def start() -> Any:
        raise AssertionError("no session is needed to say so")

    with pytest.raises(UsageError, match="cannot be read by Spark") as raised:
        ingest_by_spark(start, registry, "-", tmp_path / "lake")
    assert str(raised.value.fix).startswith("use --engine local")
    with pytest.raises(UsageError, match="cannot be watched"):
        watch("local", lambda: registry, "-", tmp_path / "lake", stop=threading.Event(), told=lambda summary: None)
    assert not (tmp_path / "lake").exists()


def test_a_single_file_is_watched(engine: Any, registry: Registry, tmp_path: Path) -> None:
    import threading

    file, stop, seen = tmp_path / "a.jsonl", threading.Event(), []
    file.write_bytes(LINES)

    def told(summary: Summary) -> None:
        seen.append(counts(summary))
        if len(seen) == 2:
            stop.set()
        with file.open("ab") as more:
            more.write(b"x\n")

    watch(engine, lambda: registry, file, tmp_path / "lake", stop=stop, told=told, every_seconds=0.01)
    assert seen == [(20, 15, 0, 5), (1, 0, 0, 1)]


@pytest.mark.parametrize("publish, found", [(["delta"], True), ((), False), (None, False)])
def test_batches_of_a_watched_file_are_published_as_asked(
    publish: list[str] | None, found: bool, engine: Any, registry: Registry, tmp_path: Path
) -> None:
    import threading

    pytest.importorskip("deltalake")
    file, lake, stop = tmp_path / "a.jsonl", tmp_path / "lake", threading.Event()
    file.write_bytes(LINES)
    watch(
        engine,
        lambda: registry,
        file,
        lake,
        stop=stop,
        told=lambda summary: stop.set(),
        every_seconds=0.01,
        publish=publish,
    )
    assert any(lake.rglob("_delta_log")) is found
