"""The steps of a lake that one process does alone, for many files and many tables (docs/operations.md, "Scale").

    python benchmarks/lake_scale.py [--files N] [--tables N] [--quick] [--folder DIR]

``files``    small files in folders of 1,000: listed and fingerprinted as new ones, recorded in a manifest, listed again
             when all are known, and new ones beside them; once more when their records are in sorted files. The bar is
             of the first: 50 us of processor time a file. The floor beside it is a bare loop that opens, reads and
             digests files which were written in turn with the others, so that the kernel has forgotten as many of them:
             what it spends on a file that it has to read from the disk again (`system`) is in both.
``tables``   a batch with one file for each table: committed to the lake, then published to Delta, first to new tables
             and then as the next batch of known ones. The bar is of each of the three: 5 ms of processor time a table.

Files of tables are copies of one that ``ingest`` wrote. The fixed loop stands beside, since bars are of an idle core.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import random
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import machine
import spark_messages

from babelreg import load
from babelreg.lake import files, ingest
from babelreg.lake.input import input_discovery
from babelreg.lake.input.input_discovery import InputBacklog
from babelreg.lake.publish.run import publish
from babelreg.lake.storage import output_folder
from babelreg.lake.storage.commit import Rows, StagedBatch, commit
from babelreg.lake.storage.log import manifest, replay, source_log
from babelreg.lake.storage.log.lake_state import LakeState
from babelreg.lake.storage.log.source_log import SourceLog
from babelreg.sources import input_folder

Result = TypeVar("Result")

IN_A_FOLDER = 1_000
ROWS = 20


def main() -> int:
    """Measures and prints; returns 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--tables", type=int, default=5_000)
    parser.add_argument("--quick", action="store_true", help="20,000 files and 200 tables")
    parser.add_argument("--folder", type=Path, help="where files are made; removed afterwards")
    args = parser.parse_args()
    count, tables = (20_000, 200) if args.quick else (args.files, args.tables)
    print(machine.described())
    with tempfile.TemporaryDirectory(prefix="lake-scale-", dir=args.folder) as name:
        missed = _files(Path(name), count) if count else []
        missed += _tables(Path(name), tables) if tables else []
    print(f"above the bar: {', '.join(missed)}" if missed else "no bar is missed")
    return int(bool(missed))


class Unit(NamedTuple):
    """Unit of the figures, how many are a second, and the bar, where there is one."""

    name: str
    a_second: float
    bar: int | None = None


FILE, LISTING, TABLE = Unit("us", 1e6), Unit("us", 1e6, 50), Unit("ms", 1e3, 5)


def _timed(label: str, count: int, unit: Unit, work: Callable[[], Result]) -> tuple[Result, list[str]]:
    """Do the work and print what it takes for each of ``count``; return its result, and ``label`` if above the bar."""
    gc.collect()
    before, wall = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    result = work()
    after, wall = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter() - wall
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    cost, in_kernel, clock = (seconds / count * unit.a_second for seconds in (user + system, system, wall))
    bar = "" if unit.bar is None else f"bar {unit.bar}"
    figures = f"{cost:8.2f} {unit.name} CPU, {in_kernel:6.2f} system {bar:8} {clock:8.2f} {unit.name} wall"
    peak_mb = after.ru_maxrss // 1024
    print(f"  {label:44} {figures} {machine.beside(user + system, processor=True)} peak {peak_mb:6,} MB", flush=True)
    return result, [label] if unit.bar is not None and cost > unit.bar else []


def _files(home: Path, count: int) -> list[str]:
    """Print the costs of ``count`` input files; return the bars that are missed."""
    inbox, beside, lake = home / "inbox", home / "beside", home / "lake"
    print(f"{count:,} files")
    floor_files = _write(inbox, 0, count, beside)

    def find(state: LakeState) -> InputBacklog:
        return input_discovery.find(inbox, input_folder.names(inbox), state)

    _timed("listed", count, FILE, partial(input_folder.names, inbox))
    found, missed = _timed("listed and fingerprinted, all new", count, LISTING, partial(find, LakeState()))
    assert len(found.ranges) == count
    _timed("floor: a bare loop over others like these", floor_files, FILE, partial(_read_bare, beside))
    make_lake(lake)
    batch = partial(commit, lake, LakeState(), "ingest", StagedBatch(), keeps_duplicates=False, consumed=found.consumed)
    _timed("recorded in a manifest", count, FILE, batch)
    state, _ = _timed("read from the manifest", count, FILE, partial(replay.read, lake))
    again, _ = _timed("listed again, all known", count, FILE, partial(find, state))
    assert not again.has_changes
    more = max(1, count // 100)
    _write(inbox, count, more)
    grown, _ = _timed(f"listed again, {more:,} new", count, FILE, partial(find, state))
    assert len(grown.ranges) == more
    del state, again, grown, found
    files, _ = _timed("recorded in sorted files", count, FILE, partial(_sorted_files, lake))
    again, _ = _timed(f"listed again by these, {more:,} new", count + more, FILE, partial(find, files))
    assert len(again.ranges) == more
    for folder in (inbox, beside):
        shutil.rmtree(folder)
    return missed


def _sorted_files(lake: Path) -> LakeState:
    """Return the state of ``lake`` with its log in sorted files, as a checkpoint writes it."""
    folder = lake / manifest.FOLDER
    runs = source_log.added(folder, source_log.FOLDER, (), [manifest.read_batch(lake, 1)])
    return LakeState(number=1, sources=SourceLog(folder, runs))


def _write(inbox: Path, first: int, count: int, beside: Path | None = None) -> int:
    """Write files to ``inbox``; with each tenth folder also one to ``beside``. Return how many are there."""
    others = 0
    for start in range(first, first + count, IN_A_FOLDER):
        numbers = range(start, min(start + IN_A_FOLDER, first + count))
        _write_folder(inbox, numbers)
        if beside is not None and start // IN_A_FOLDER % 10 == 0:
            _write_folder(beside, numbers)
            others += len(numbers)
    return others


def _write_folder(home: Path, numbers: range) -> None:
    folder, padding = home / f"{numbers[0] // IN_A_FOLDER:05d}", "y" * 300
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        (folder / f"{number:07d}.jsonl").write_text(f'{{"n": {number}, "x": "{padding}"}}\n', "ascii")


def _read_bare(folder: Path) -> int:
    """List, open, read and digest the files in ``folder``; return the number of bytes. No program can do with less."""
    size = 0
    for below in sorted(os.scandir(folder), key=lambda entry: entry.name):
        for entry in sorted(os.scandir(below.path), key=lambda entry: entry.name):
            descriptor = os.open(entry.path, os.O_RDONLY | os.O_CLOEXEC)
            os.fstat(descriptor)
            content = os.read(descriptor, 64 * 1024)
            os.close(descriptor)
            hashlib.blake2b(content, digest_size=16).hexdigest()
            size += len(content)
    return size


def make_lake(lake: Path) -> None:
    """Make an empty lake."""
    with output_folder.locked(lake):
        pass


def _tables(home: Path, count: int) -> list[str]:
    """Print the costs of a batch of ``count`` tables; return the bars that are missed."""
    print(f"{count:,} tables")
    lake, sample = home / "tables-lake", _sample(home)
    urns = [f"urn:babel:shop{number % 4}:thing{number:05d}.changed" for number in range(count)]
    make_lake(lake)
    missed: list[str] = []
    for number, kind in ((1, "new"), (2, "known")):
        state = replay.read(lake)
        with output_folder.staging(lake, state.number) as staging:
            batch = partial(commit, lake, state, "ingest", _staged(staging, sample, urns), keeps_duplicates=False)
            _, above = _timed(f"batch {number} committed to the lake", count, TABLE, batch)
        follow = partial(publish, lake, ["delta"], complete=False)
        published, slow = _timed(f"batch {number} published to Delta, {kind} tables", count, TABLE, follow)
        assert len(published.formats["delta"].tables) == count, published
        missed += [*above, *slow]
    return missed


def _sample(home: Path) -> Path:
    """Return a file of a table, as ``ingest`` writes it."""
    spark_messages.write_registry(home / "registry", 1)
    (home / "messages").mkdir()
    rng = random.Random(1)
    lines = (json.dumps(spark_messages.good(0, rng)) for _ in range(ROWS))
    (home / "messages" / "one.jsonl").write_text("\n".join(lines), "utf-8")
    ingest("local", load.registry(home / "registry"), home / "messages", home / "one")
    (path,) = files(home / "one", spark_messages.urn(0))
    return Path(path)


def _staged(staging: Path, sample: Path, urns: list[str]) -> StagedBatch:
    """Return a batch of one file for each table."""
    tables = {}
    for number, urn in enumerate(urns):
        path = staging / str(number) / "part-00000.parquet"
        path.parent.mkdir()
        shutil.copyfile(sample, path)
        tables[urn] = Rows(ROWS, (path,))
    return StagedBatch(read=ROWS * len(urns), tables=tables)


if __name__ == "__main__":
    sys.exit(main())
