"""Processor time of the Arrow pass by stage: from bytes in files to parquet files, in this process, without Spark.

    python benchmarks/spark_stages.py [--messages N] [--urns 20,1000] [--rounds N]

Stages are measured by running ever more of them over the same messages, and each as the difference to the one before:

``read``       lines of the files, in chunks
``parse``      orjson, every message
``judge``      the shape of the envelope, the schema of the data (jsonschema-rs)
``canonical``  the data as JSON with sorted names
``digest``     the digests of id and content, by which duplicates are found
``type``       the columns of each table, by Arrow, of the canonical JSON
``stage``      the rest of a task: rows as Arrow, grouped by table, in a staging file
``find``       the search for duplicates
``write``      the parquet files

Messages are valid but for one in a hundred. Figures are microseconds of processor time a message, the median of the
rounds; schemas are compiled before. The garbage collector is off, which a busy machine spoils less. To compare two
trees, run this file with ``PYTHONPATH`` set to each in turns.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any

import machine
import orjson
import pyarrow as pa
import spark_messages

from babelreg.contract import Contract
from babelreg.contract.envelope import has_common_shape
from babelreg.contract.parse import deep
from babelreg.lake.arrow.canonical_json import canonical_from
from babelreg.lake.input.message_files import FileRange, FileSource
from babelreg.lake.storage import id_run
from babelreg.lake.tasks.staged_segments import StagedMessages
from babelreg.lake.tasks.staging_writer import TaskWriter
from babelreg.lake.tasks.validation_spec import ValidationSpec

STAGES = ("read", "parse", "judge", "canonical", "digest", "type", "stage", "find", "write")
_STEP = 2_000


class Pass:
    """The pass over the messages below ``source``, whole or in part. Files are written below ``folder``."""

    def __init__(self, source: Path, urns: int, folder: Path) -> None:
        named = sorted((path.name, path.stat().st_size) for path in source.iterdir())
        self._files = FileSource(
            str(source.resolve()), tuple(FileRange(name, 0, size, size) for name, size in named), 1
        )
        schemas = {spark_messages.urn(number): spark_messages.schema(number) for number in range(urns)}
        self._spec, self._contract, self._folder = ValidationSpec.of(schemas), Contract(schemas), folder
        self._checks = {urn: self._contract.validator(urn).is_valid for urn in schemas}
        self._numbers = {urn: number for number, urn in enumerate(self._spec.urns)}
        self._texts: dict[int, list[bytes]] = {}
        self.messages = 0
        for number in range(urns):
            self._spec.row_validator().table(number)

    def _chunks(self) -> Iterator[Any]:
        for split in self._files.splits(2):
            yield from self._files.chunks(split)

    def _documents(self) -> Iterator[tuple[bytes, Any]]:
        loads = orjson.loads
        for chunk in self._chunks():
            for body in chunk.bodies:
                try:
                    yield body, loads(body)
                except orjson.JSONDecodeError:
                    yield body, None

    def _valid(self) -> Iterator[Any]:
        checks = self._checks
        for _, document in self._documents():
            if type(document) is dict and has_common_shape(document):
                check = checks.get(document["job"])
                if check is not None and check(document["data"]):
                    yield document

    def _canonical(self) -> Iterator[tuple[Any, bytes]]:
        for document in self._valid():
            data = document["data"]
            yield document, canonical_from(data, orjson.dumps(data, option=orjson.OPT_SORT_KEYS))

    def read(self) -> None:
        self.messages = sum(len(chunk.bodies) for chunk in self._chunks())

    def parse(self) -> None:
        for _ in self._documents():
            pass

    def judge(self) -> None:
        for _ in self._valid():
            pass

    def canonical(self) -> None:
        for _ in self._canonical():
            pass

    def digest(self) -> None:
        for document, written in self._canonical():
            id_run.key(document["meta"]["id"])
            blake2b(document["job"].encode() + b"\0" + written, digest_size=16).digest()

    def collect(self) -> None:
        """Collect the texts that :meth:`type` takes, which is not measured."""
        for chunk in self._chunks():
            for body in chunk.bodies:
                if admitted := self._contract.admit(body):
                    document, written = admitted
                    text = canonical_from(document["data"], written)
                    self._texts.setdefault(self._numbers[document["job"]], []).append(bytes(memoryview(text)))

    def type(self) -> None:
        """Type the texts as tasks do: those of a URN in as many parts as the input has splits."""
        parts = len(self._files.splits(2))
        for number, texts in self._texts.items():
            columns, step = self._spec.row_validator().table(number).columns, -(-len(texts) // parts)
            for start in range(0, len(texts), step):
                if columns.read(pa.array(texts[start : start + step], pa.binary())) is None:
                    raise RuntimeError("the columns of the benchmark are read by Arrow")

    def staged(self) -> StagedMessages:
        """All that a task does."""
        landing = self._folder / "landing"
        shutil.rmtree(landing, ignore_errors=True)
        landing.mkdir()
        by_table: dict[int, list[Any]] = {}
        ids: list[Path] = []
        for split in self._files.splits(2):
            with deep(), TaskWriter(self._spec, landing) as writer:
                for chunk in self._files.chunks(split):
                    writer.add(chunk)
            ids += writer.ids
            for number, segment in writer.segments:
                by_table.setdefault(number, []).append(segment)
        segments = {
            number: tuple(sorted(by_table[number], key=lambda item: (item.file, item.offset))) for number in by_table
        }
        return StagedMessages(segments, tuple(ids), self.messages)

    def find(self, staged: StagedMessages) -> Any:
        """The search for duplicates."""
        folder = self._folder / "repeats"
        shutil.rmtree(folder, ignore_errors=True)
        return import_module("babelreg.lake.ingest.duplicates").find(_InProcess(), staged, (), folder)

    def write(self, staged: StagedMessages, repeats: Any) -> None:
        """The parquet files."""
        folder = self._folder / "tables"
        shutil.rmtree(folder, ignore_errors=True)
        import_module("babelreg.lake.ingest.table_writer").write(_InProcess(), staged, self._spec, repeats, folder)


class _InProcess:
    """What the pass asks of an engine, where tasks run in this process."""

    def parallelism(self, size: int | None = None) -> int:
        return 2

    def map(self, items: Sequence[Any], work: Callable[[Any], Any], *, size: int) -> list[Any]:
        return [work(item) for item in items]


def _seconds(work: Callable[[], object]) -> tuple[float, Any]:
    gc.collect()
    before = time.process_time()
    result = work()
    return time.process_time() - before, result


def _round(one: Pass) -> dict[str, float]:
    """Microseconds a message, by stage."""
    spent, before = {}, 0.0
    for name in STAGES[:5]:
        seconds, _ = _seconds(getattr(one, name))
        spent[name], before = seconds - before, seconds
    spent["type"], _ = _seconds(one.type)
    seconds, staged = _seconds(one.staged)
    spent["stage"] = seconds - before - spent["type"]
    spent["find"], repeats = _seconds(lambda: one.find(staged))
    spent["write"], _ = _seconds(lambda: one.write(staged, repeats))
    return {name: 1e6 * seconds / one.messages for name, seconds in spent.items()}


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--urns", default="20,1000", help="numbers of URNs: %(default)s")
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    pa.set_cpu_count(1)
    counts = [int(count) for count in asked.urns.split(",")]
    figures: dict[int, dict[str, float]] = {}
    print(
        f"{asked.messages:,} messages, {asked.rounds} rounds, fixed loop {machine.loop_seconds(processor=True):.3f} s"
    )
    with tempfile.TemporaryDirectory() as folder:
        for urns in counts:
            source, work = Path(folder, f"in-{urns}"), Path(folder, f"work-{urns}")
            work.mkdir()
            spark_messages.write_input(source, asked.messages, urns=urns)
            one = Pass(source, urns, work)
            one.collect()
            one.staged()  # validators are compiled, and pages are in memory
            gc.freeze()
            gc.disable()
            rounds = [_round(one) for _ in range(asked.rounds)]
            gc.enable()
            figures[urns] = {name: statistics.median(spent[name] for spent in rounds) for name in STAGES}
    _print(figures, asked.messages)


def _print(figures: dict[int, dict[str, float]], messages: int) -> None:
    print(f"{'us a message':14}" + "".join(f"{urns:>10,}" for urns in figures) + "  URNs")
    for name in STAGES:
        print(f"{name:14}" + "".join(f"{spent[name]:10.2f}" for spent in figures.values()))
    totals = [sum(spent.values()) for spent in figures.values()]
    print(f"{'all':14}" + "".join(f"{total:10.2f}" for total in totals))
    for urns, total in zip(figures, totals, strict=True):
        print(f"{urns:,} URNs: {machine.beside(total * messages / 1e6, processor=True)}")
    print(
        f"{'of the first':14}"
        + "".join(f"{total / totals[0]:10.2f}" for total in totals)
        + "  (1,000 URNs: at most 1.5)"
    )


if __name__ == "__main__":
    sys.exit(main())
