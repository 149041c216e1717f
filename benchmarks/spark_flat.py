"""The bar of growth: a batch takes as long late as early, and an output of many batches opens at once.

    python benchmarks/spark_flat.py [--batches 50] [--messages 20000] [--urns 20] [--opened 10000] [--no-compact]

Batches of one size go into one output, 3 % of each repeated from any batch before; each is timed alone, with the
compaction after it, whose share is told. The bar: the median of the last ten at 1.25 of that of batches 5 to 15 or
less. Then an output of so many small batches is made, by manifests alone, and opened: below a second.

Times are wall seconds, and CPU seconds of this process, its workers and the JVM in brackets, which say more on a
machine with other work to do.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import machine
import spark_messages

from babelreg import load
from babelreg.lake.storage import output_folder
from babelreg.lake.storage.log import checkpoint, manifest, replay
from babelreg.lake.storage.log.manifest import Batch, Consumed, SortedFileRecord, TableRows
from babelreg.model import Registry
from babelreg.spark import ingest
from babelreg.spark.session import local

_REPEATED = 0.03
_TICKS = 100


def _cpu() -> float:
    """CPU seconds of all processes below this one and of itself, those that ended included."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(path.parent.name)] = (int(fields[1]), sum(map(int, fields[11:15])) / _TICKS)
    ours = {os.getpid()}
    while more := {pid for pid, (parent, _) in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(parents[pid][1] for pid in ours)


class Feed:
    """An input folder that gets one file a batch."""

    def __init__(self, folder: Path, count: int, urns: int) -> None:
        self._folder, self._count, self._urns = folder, count, urns
        self._before: list[bytes] = []
        self._chance = random.Random(1)
        folder.mkdir()

    def add(self, number: int) -> None:
        """The file of batch ``number``: new messages, and some of the batches before."""
        repeats = int(self._count * _REPEATED) if self._before else 0
        new = list(spark_messages.messages(self._count - repeats, urns=self._urns, seed=number))
        lines = new + self._chance.choices(self._before, k=repeats) if repeats else new
        self._before += self._chance.sample(new, min(len(new), 400))
        (self._folder / f"{number:05d}.jsonl").write_bytes(b"\n".join(lines) + b"\n")


def grow(folder: Path, registry: Registry, batches: int, count: int, urns: int, compacting: bool) -> float:
    """Ingest so many batches, telling each; the median of the last ten by that of the first after warming up."""
    spark = local.start(master="local[2]")
    feed, walls, cpus = Feed(folder / "in", count, urns), [], []
    for number in range(1, batches + 1):
        feed.add(number)
        wall, cpu = time.perf_counter(), _cpu()
        summary = ingest(spark, registry, folder / "in", folder / "out", compacting=False)
        walls.append(time.perf_counter() - wall)
        cpus.append(_cpu() - cpu)
        ratio = machine.beside(walls[-1])
        line = f"{number:>5}  {walls[-1]:6.2f} s ({cpus[-1]:.2f}) {ratio}  {summary.accepted:,} accepted, {summary.duplicates:,} duplicates"
        print(line + (_compaction(spark, folder / "out") if compacting else ""), flush=True)
    spark.stop()
    early, late = slice(4, 15), slice(-10, None)
    ratios = [statistics.median(one[late]) / statistics.median(one[early]) for one in (walls, cpus)]
    print(f"last ten by batches 5 to 15: {ratios[0]:.2f} wall, {ratios[1]:.2f} CPU")
    return ratios[1]


def _compaction(spark: object, out: Path) -> str:
    from babelreg.lake.ingest.compaction import compact_lazily

    newest = [batch for batch in manifest.read(out) if batch.kind == "ingest"][-1]
    wall, cpu = time.perf_counter(), _cpu()
    with output_folder.locked(out):
        found = compact_lazily(spark, out, newest, lambda step: None)  # type: ignore[arg-type]
    told = f"; {sum(found.files.values())} files of {len(found.files)} tables compacted" if found.files else ""
    return f"{told} {time.perf_counter() - wall:6.2f} s ({_cpu() - cpu:.2f})"


def _synthetic(number: int, urns: int, types: bool) -> Batch:
    """A batch that read one file and added one to each table."""
    name = output_folder.batch_folder(number)
    columns = {f"column_{n}": "BIGINT" for n in range(20)} if types else {}
    tables = {
        urn: TableRows(10, (f"{output_folder.table_folder(urn)}/{name}/part-00000.parquet",), columns)
        for urn in map(spark_messages.urn, range(urns))
    }
    read = Consumed("/data/in", f"{number:06d}.jsonl", 0, 10**6, number, True, f"{number:032x}")
    counts = {"read": 10 * urns, "accepted": 10 * urns, "duplicates": 0, "quarantined": 0}
    index = (SortedFileRecord(f"ids/{name}/part-00000.ids", 10 * urns),)
    return Batch(number, "ingest", **counts, keeps_duplicates=False, consumed=(read,), tables=tables,
                 quarantine=TableRows(0, ()), reasons={}, repeated={}, index=index)  # fmt: skip


@contextmanager
def _told(what: str) -> Iterator[None]:
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{what}: {wall:.3f} s ({cpu:.3f}), {machine.beside(wall).strip()}", flush=True)


def open_many(folder: Path, batches: int, urns: int) -> None:
    """Make an output of so many batches, with checkpoints as they are written, and open it."""
    (folder / manifest.FOLDER).mkdir(parents=True)
    with _told(f"writing {batches:,} manifests of {urns} tables, with checkpoints"):
        for number in range(1, batches + 1):
            manifest.write(folder, _synthetic(number, urns, types=number == 1))
            if number % replay.EVERY == 0:
                replay.checkpoint(folder, replay.read(folder))
    checkpoint._load.cache_clear()
    manifest._read_once.cache_clear()
    with _told("opened by a checkpoint"):
        found = replay.read(folder)
    with _told("opened again"):
        replay.read(folder)
    with _told("of all manifests, as without a checkpoint"):
        every = replay.of(manifest.read(folder))
    assert replace(found, checkpoint=0) == every
    sizes = [path.stat().st_size / 1e6 for path in (folder / manifest.FOLDER).glob("*.state")]
    print(f"checkpoints of {', '.join(f'{size:.1f}' for size in sizes)} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, default=50)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--urns", type=int, default=20)
    parser.add_argument("--opened", type=int, default=10_000)
    parser.add_argument("--compact", action=argparse.BooleanOptionalAction, default=True)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        if asked.opened:
            open_many(Path(home) / "many", asked.opened, asked.urns)
        if asked.batches:
            spark_messages.write_registry(Path(home) / "registry", asked.urns)
            registry = load.registry(Path(home) / "registry")
            ratio = grow(Path(home), registry, asked.batches, asked.messages, asked.urns, asked.compact)
            sys.exit(ratio > 1.25)


if __name__ == "__main__":
    main()
