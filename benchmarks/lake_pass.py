"""The bars of the lake's own pass: beside an earlier commit, with odd values, with many URNs, and of foreign messages.

    python benchmarks/lake_pass.py [--base TREE] [--only clean,odd,urns,wires] [--messages N] [--rounds N]

The pass is all that the local engine does with messages in files: read, validate, type and stage them, find duplicates,
write the tables. A process of each tree stays alive, and they take turns; figures are processor time, ratios those of
neighbours in time, and each ratio the median of its rounds.

``clean``   the pass over valid messages of 20 URNs, beside TREE: at most 0.7
``odd``     with one integer, day or instant in a thousand messages that no column holds: at most 1.15 of clean
``urns``    50,000 messages of 1,000 URNs, beside 20, up to the files in their places: at most 2.5; and the floor:
            what pyarrow and the disk ask for the tables of ``urns``: their files alone, with snappy and check sums of
            pages, then with a sync of each and a Delta commit of one JSON file for each table, synced too
``wires``   foreign messages, beside envelopes with the same data: at most 2, by every path on which workers read them:
            ``rows``      of tasks of ``lake ingest``, with either engine: messages to rows, without typing
            ``recorded``  the pass of ``lake ingest`` over a recording in frames, up to its tables, with either engine
            ``frame``     the function behind ``validate_frame``: messages of a DataFrame to structs
            ``stream``    the function behind ``Tables`` and ``spark stream``: messages to segments
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from typing import IO, Any

import machine
import orjson
import spark_messages
from pyarrow import parquet

from babelreg.wire.length_frames import frame

ROOT = Path(__file__).parents[1]
BARS = {"clean": 0.7, "odd": 1.15, "urns": 2.5, "wires": 2.0}
WIRES = ("strata", "flowlayer", "phpmq", "cloudevents", "json")
PATHS = ("rows", "recorded", "frame", "stream")
_ODD = 1_000
_RECEIVED = 1_780_000_000_000
_URN_MESSAGES = 50_000

WORKER = r'''
import gc, importlib, json, os, shutil, sys, time
from pathlib import Path

def module(*names):
    for name in names:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            pass
    raise ModuleNotFoundError(names[0])

files = module("babelreg.lake.input.message_files", "babelreg.spark.sources.message_files")
source = module("babelreg.lake.message_source", "babelreg.spark.sources.message_source")
home = "babelreg.lake" if files.__name__.startswith("babelreg.lake") else "babelreg.spark"
spec_of = module(f"{home}.tasks.validation_spec").ValidationSpec.of
job, find, write = (module(f"{home}.ingest.{name}") for name in ("validation_job", "duplicates", "table_writer"))
batch, batch_ids = module(f"{home}.tasks.message_batch"), module(f"{home}.tasks.batch_ids")
deep = module("babelreg.contract.parse").deep
durable = module(f"{home}.durable_files", f"{home}.lake.durable_files")

class Engine:
    """Tasks as the local engine plans them for two processors, one after the other."""

    def parallelism(self, size=None):
        return 2 if size is None else max(1, min(2, size >> 24))
    def map(self, items, work, *, size=0):
        return [work(item) for item in items]

def sourced(folder, wire):
    named = sorted((path.name, path.stat().st_size) for path in Path(folder).iterdir())
    circumstances = {} if wire == "babelqueue" else {"origin": source.Origin(wire, "f", RECEIVED, "mtime")}
    ranges = tuple(files.FileRange(name, 0, size, size, **circumstances) for name, size in named)
    return files.FileSource(folder, ranges, 1, wire)

def whole(spec, folder, work, wire="babelqueue"):
    work = Path(work)
    work.mkdir(parents=True)  # a new one each time: ext4 searches long for inodes where many were just freed
    staged = job.validate_messages(Engine(), sourced(folder, wire), spec, work / "landing")
    repeats = find.find(Engine(), staged, (), work / "repeats")
    write.write(Engine(), staged, spec, repeats, work / "out")

RECEIVED = 1780000000000

def bodies_in(folder):
    content, at, bodies = (Path(folder) / "messages.frames").read_bytes(), 0, []
    while at < len(content):
        size = int.from_bytes(content[at : at + 4], "big")
        bodies.append(content[at + 4 : at + 4 + size])
        at += 4 + size
    return bodies

def batches_of(bodies, size=10_000):
    """Bodies as Spark passes them to functions: received, and the position that tells equal ones apart."""
    import pyarrow as pa

    for start in range(0, len(bodies), size):
        part = bodies[start : start + size]
        offsets = range(start, start + len(part))
        received = pa.array([RECEIVED] * len(part), pa.timestamp("ms", "UTC")).cast(pa.timestamp("us", "UTC"))
        yield pa.array(part, pa.binary()), received, pa.array([f"file:/in/messages.frames/{at}" for at in offsets]), offsets

def frame(spec, folder, wire):
    """Structs of messages, as the function of ``validate_frame`` makes them."""
    function = module(f"{home}.tasks.column_functions").ValidatedMessages(spec, (), wire)
    columns = [part[: 1 if wire == "babelqueue" else 3] for part in batches_of(bodies_in(folder))]
    gc.collect()
    started = time.process_time()
    structs = [function(*part) for part in columns]
    spent = time.process_time() - started
    assert all(part.field("reason").null_count == len(part) for part in structs), (wire, structs[0][0])
    return spent

def stream(spec, folder, wire):
    """Segments of messages, as the function of ``Tables`` makes them where duplicates are searched for."""
    import pyarrow as pa

    form = module(f"{home}.tasks.segment_format")
    columns = form.SegmentColumns(("source_file", "source_offset"), wire, numbered=True)
    batches = []
    for part, received, texts, offsets in batches_of(bodies_in(folder)):
        numbers = pa.array(offsets, pa.int64())
        origins = [] if wire == "babelqueue" else [received, texts]
        arrays = [part, numbers, numbers, *origins, pa.repeat("file:/in/messages.frames", len(part)), numbers]
        batches.append(pa.RecordBatch.from_arrays(arrays, [str(number) for number in range(len(arrays))]))
    gc.collect()
    started = time.process_time()
    found = list(module(f"{home}.tasks.message_segments").SegmentPass(spec, columns)(batches))
    spent = time.process_time() - started
    assert not any(part["table"][0].as_py() == form.REFUSED_TABLE for part in found), wire
    return spent

def rows(spec, folder, wire):
    """Rows of messages that are read before, as tasks read them."""
    validator, bridge = spec.row_validator(), spec.bridge()
    bodies = bodies_in(folder)
    offsets = list(range(len(bodies)))
    origins = [source.Origin(wire, "f", RECEIVED, "mtime")] * len(bodies)
    gc.collect()
    digests = batch_ids.IdDigests(validator.urns) if hasattr(batch_ids, "IdDigests") else None  # else part of the row
    started, good = time.process_time(), 0
    with deep():
        for start in range(0, len(bodies), 2000):
            part = slice(start, start + 2000)
            if wire == "babelqueue":
                got = batch.read_all(validator, bodies[part], offsets[part], "00000001/a")
            else:
                got = batch.read_bridged(validator, bridge, bodies[part], offsets[part], origins[part], "00000001/a")
            if digests:
                columns = list(zip(*got))
                digests.of(columns[3], columns[0], columns[-2])
            good += len(got) if not isinstance(got, list) else sum(type(row) is tuple for row in got)
    spent = time.process_time() - started
    assert good == len(bodies), (wire, good, len(bodies), got[0])
    return spent

specs = {}
for number, line in enumerate(sys.stdin):
    kind, schemas, folder, extra = json.loads(line)
    if schemas not in specs:
        named = json.loads(Path(schemas).read_text())
        mappings = {wire: {tuple(key) if isinstance(key, list) else key: urn for key, urn in pairs}
                    for wire, pairs in named.get("mappings", {}).items()}
        specs[schemas] = spec_of(named["schemas"], mappings=mappings)
    if kind in ("rows", "frame", "stream"):
        spent = globals()[kind](specs[schemas], folder, extra)
    else:
        wire = extra if kind == "recorded" else "babelqueue"
        work = f"{folder}-out/{number}" if kind == "recorded" else f"{extra}/{number}"
        gc.collect()
        started = time.process_time()
        whole(specs[schemas], folder, work, wire)
        spent = time.process_time() - started
    print(json.dumps(spent), flush=True)
'''


class Worker:
    """A process of one tree, which runs one piece of work at a time."""

    def __init__(self, tree: Path) -> None:
        env = {**os.environ, "PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1"}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", WORKER], env=env, stdin=pipe, stdout=pipe, text=True
        )

    def seconds(self, *work: object) -> float:
        """Return the processor time of ``work``: whole or a path, schemas, input, and a folder to write to or the wire."""
        print(json.dumps([str(part) for part in work]), file=_open(self.process.stdin), flush=True)
        return float(json.loads(_open(self.process.stdout).readline()))


def _open(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


@contextmanager
def opened(tree: Path) -> Iterator[Worker]:
    worker = Worker(tree)
    try:
        yield worker
    finally:
        worker.process.kill()
        worker.process.wait()


def _ratio(name: str, ours: Callable[[], float], peer: Callable[[], float], rounds: int, scale: float) -> bool:
    """Print a line; return True where the bar is missed."""
    ours(), peer()  # compiles schemas, brings files into memory
    pairs = []
    for number in range(rounds):
        first = ours() if number % 2 else None
        beside = peer()
        pairs.append((ours() if first is None else first, beside))
    ratio = statistics.median(mine / theirs for mine, theirs in pairs)
    mine, theirs = (scale * min(column) for column in zip(*pairs, strict=True))
    bar = BARS[name.split()[0]]
    print(f"{name:26} {mine:7.2f} us beside {theirs:7.2f} us a message  {ratio:5.2f}  bar {bar}", flush=True)
    return ratio > bar


def _odd(body: bytes, number: int) -> bytes:
    """Return a valid message that no column holds."""
    document = orjson.loads(body)
    if number % 2:
        document["data"]["order_id"] = 2**63
    else:
        document["data"]["placed_at"] = "2016-12-31T23:59:60Z"
    return orjson.dumps(document)


def _write_odd(folder: Path, source: Path) -> None:
    folder.mkdir()
    for path in source.iterdir():
        lines = path.read_bytes().splitlines()
        for number in range(_ODD // 2, len(lines), _ODD):
            lines[number] = _odd(lines[number], number // _ODD)
        (folder / path.name).write_bytes(b"\n".join([*lines, b""]))


def _foreign(wire: str, envelope: dict[str, Any], number: int) -> bytes:
    """Return the data of an envelope as a message of another format."""
    from babelreg.wire.formats import phpmq
    from babelreg.wire.formats.phpmq.models import MessageClientToServer

    data, time = (
        envelope["data"],
        f"2026-{number % 12 + 1:02d}-{number % 28 + 1:02d}T10:15:{number % 60:02d}.{number % 1000:03d}Z",
    )
    name = envelope["job"].rpartition(":")[2]
    if wire == "babelqueue":
        return orjson.dumps(envelope)
    if wire == "phpmq":
        return phpmq.encode(MessageClientToServer(b"Data", orjson.dumps(data), 60).packets())
    message: dict[str, Any] = {
        "strata": {
            "id": f"{number:020d}", "messageType": "request", "context": "Shop", "operation": name, "timestamp": time,
            "payload": data, "responseQueue": "Responses:Web:1", "metadata": {"tenant": "a"}, "client": "Client:Web",
            "auth": f"token-{number}",
        },
        "flowlayer": {"type": "command", "id": envelope["trace_id"], "name": name, "payload": data},
        "cloudevents": {
            "specversion": "1.0", "id": f"{number}", "source": "/shop", "type": envelope["job"], "time": time,
            "datacontenttype": "application/json", "data": data,
        },
        "json": {"type": envelope["job"], "id": number, "at": time, "body": data},
    }[wire]  # fmt: skip
    return orjson.dumps(message)


def _mappings(urns: list[str]) -> dict[str, list[tuple[list[str], str]]]:
    names = {urn: urn.rpartition(":")[2] for urn in urns}
    return {
        "strata": [(["Shop", name, "request"], urn) for urn, name in names.items()],
        "flowlayer": [(["commands", name], urn) for urn, name in names.items()],
        "phpmq": [(["queues", "Data"], "urn:babel:shop:content")],
        "json": [(["urn", "field"], "type"), (["id"], "id"), (["time"], "at"), (["data"], "body")],
    }


def clean(home: Path, messages: int) -> tuple[Path, Path]:
    """Return the files of schemas and of messages."""
    urns = [spark_messages.urn(number) for number in range(spark_messages.URNS)]
    schemas = {name: spark_messages.schema(number) for number, name in enumerate(urns)}
    schemas["urn:babel:shop:content"] = {
        "type": "object",
        "required": ["content"],
        "properties": {"content": {"type": "string"}},
    }
    (home / "schemas.json").write_text(json.dumps({"schemas": schemas, "mappings": _mappings(urns)}))
    spark_messages.write_input(home / "clean", messages, bad_share=0.0)
    return home / "schemas.json", home / "clean"


def _wires(home: Path, schemas: Path, worker: Worker, messages: int, rounds: int) -> bool:
    sent = [orjson.loads(body) for body in spark_messages.messages(messages // 3, bad_share=0.0)]
    for wire in ("babelqueue", *WIRES):
        (home / wire).mkdir()
        framed = b"".join(frame(_foreign(wire, envelope, number)) for number, envelope in enumerate(sent))
        (home / wire / "messages.frames").write_bytes(framed)
    scale, missed = 1e6 / len(sent), False
    for path, wire in product(PATHS, WIRES):
        ours, beside = (partial(worker.seconds, path, schemas, home / name, name) for name in (wire, "babelqueue"))
        missed |= _ratio(f"wires {path} {wire}", ours, beside, rounds, scale)
    return missed


def _urns(home: Path, worker: Worker, rounds: int) -> bool:
    for urns in (20, 1_000):
        named = {spark_messages.urn(number): spark_messages.schema(number) for number in range(urns)}
        (home / f"schemas-{urns}.json").write_text(json.dumps({"schemas": named}))
        spark_messages.write_input(home / f"in-{urns}", _URN_MESSAGES, urns=urns, bad_share=0.0)
    many, few = (
        partial(worker.seconds, "whole", home / f"schemas-{urns}.json", home / f"in-{urns}", home / f"out-{urns}")
        for urns in (1_000, 20)
    )
    missed = _ratio("urns", many, few, rounds, 1e6 / _URN_MESSAGES)
    for label, synced in (("floor of files", False), ("and syncs, commits", True)):
        files, beside = (
            min(_bare_seconds(next((home / f"out-{urns}").iterdir()), home / "bare", synced) for _ in range(rounds))
            for urns in (1_000, 20)
        )
        scale = 1e6 / _URN_MESSAGES
        loops = machine.beside(files, processor=True)
        print(f"{label:26} {scale * files:7.2f} us beside {scale * beside:7.2f} us a message {loops}", flush=True)
    return missed


def _bare_seconds(work: Path, below: Path, synced: bool) -> float:
    """Return the processor time in which pyarrow writes the tables in ``work`` again to new files."""
    read = [parquet.read_table(path).combine_chunks() for path in sorted(work.glob("out/tables/**/*.parquet"))]
    below.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=below))
    started = time.process_time()
    for number, table in enumerate(read):
        path = folder / f"{number}.parquet"
        with parquet.ParquetWriter(
            path, table.schema, use_dictionary=False, store_schema=False, write_page_checksum=True
        ) as file:
            file.write_table(table)
        if synced:
            action = {"add": {"path": path.name, "size": path.stat().st_size, "stats": {"numRecords": len(table)}}}
            (commit := folder / f"{number}.json").write_text(json.dumps(action))
            for written in (path, commit):
                with written.open("rb") as content:
                    os.fsync(content.fileno())
    return time.process_time() - started


def main() -> int:
    """Print the table; return 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=Path, help="the checkout that `clean` is compared with")
    parser.add_argument("--only", default=",".join(BARS))
    parser.add_argument("--messages", type=int, default=60_000)
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    parts, missed, scale = asked.only.split(","), False, 1e6 / asked.messages
    with tempfile.TemporaryDirectory(prefix="lake-pass-") as folder, opened(ROOT) as worker:
        home = Path(folder)
        schemas, messages = clean(home, asked.messages)
        ours = partial(worker.seconds, "whole", schemas, messages, home / "out")
        if "clean" in parts and asked.base:
            with opened(asked.base.resolve()) as before:
                base = partial(before.seconds, "whole", schemas, messages, home / "out-base")
                missed |= _ratio("clean", ours, base, asked.rounds, scale)
        if "odd" in parts:
            _write_odd(home / "odd", messages)
            odd = partial(worker.seconds, "whole", schemas, home / "odd", home / "out-odd")
            missed |= _ratio("odd", odd, ours, asked.rounds, scale)
        if "urns" in parts:
            missed |= _urns(home, worker, asked.rounds)
        if "wires" in parts:
            missed |= _wires(home, schemas, worker, asked.messages, asked.rounds)
    print(machine.described())
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
