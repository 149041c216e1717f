"""The bars of ``Tables``: a batch into Delta, beside ingest and beside the bare writes, and the files that it opens.

    python benchmarks/spark_tables.py [--messages N] [--rounds N] [--ids N] [--parts batch,files]

``ingest``   messages a second of ``foreach_batch`` to Delta, duplicates kept, over ``ingest --keep-duplicates``: >= 0.5
``writes``   its time over that of the same Delta writes (20 URNs and the quarantine, in as many threads) from the same
             messages, validated before and stored as parquet: <= 1.3
``files``    files of digests that a batch opens when ten times as many ids are known (10,000,000 unless told), over
             those when ``--ids`` are: <= 1.2. Counted over one cycle of compaction; all ids are of one day.

Times are shown on the clock and of all processors; the latter a busy machine spoils less. Jars are fetched once.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import machine
import spark_messages
from spark_cost import Cost, measured

from babelreg import load
from babelreg.lake.ingest.schema_check import spec_of
from babelreg.spark import Tables, ingest
from babelreg.spark.platform.formats import delta_table
from babelreg.spark.platform.formats.batch_key import BatchKey
from babelreg.spark.platform.formats.table_layout import digests_layout
from babelreg.spark.platform.formats.table_names import DIGESTS, TablePlace
from babelreg.spark.platform.formats.table_set import TableSet, in_threads
from babelreg.spark.platform.tables import batch_frame
from babelreg.spark.platform.tables.compaction import MOST_FILES, compact_days
from babelreg.spark.platform.tables.repeats import utc_day
from babelreg.spark.session import local

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "lake" / "shared"))
import lakehouse

BATCH_IDS = 100_000
DAY = "2026-11-22"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ids", type=int, default=1_000_000)
    parser.add_argument("--parts", default="batch,files")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "babelreg-benchmarks"
    parser.add_argument("--folder", type=Path, default=cache, help="where input is kept and output made: %(default)s")
    asked = parser.parse_args()
    os.environ["PYSPARK_SUBMIT_ARGS"] = lakehouse.submit_arguments()
    work = asked.folder / "tables"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    print(machine.described())
    spark = lakehouse.configure(local.start("babelreg benchmark"), work / "warehouse")
    try:
        if "batch" in asked.parts:
            batch_bars(spark, asked.folder, work, asked.messages, asked.rounds)
        if "files" in asked.parts:
            files_bar(spark, work, asked.ids)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def batch_bars(spark: Any, folder: Path, work: Path, count: int, rounds: int) -> None:
    """Print ``ingest`` and ``writes``."""
    source, registry_folder = folder / f"in-{count}-{spark_messages.URNS}", folder / "registry-20"
    if not source.is_dir():
        spark_messages.write_input(source, count)
    spark_messages.write_registry(registry_folder)
    registry = load.registry(registry_folder)
    parquet = work / "validated"
    given = batch_frame.BatchInput("value", (), "babelqueue")
    spec = batch_frame.portable_spec(spec_of(registry, digests=False))
    lines = spark.read.text(str(source))
    batch_frame.validated(lines, given, spec, spec.urns, bodies=False).write.parquet(str(parquet))
    jobs: dict[str, Callable[[], object]] = {
        "ingest": partial(_ingest, spark, registry, source, work / "lake"),
        "foreach_batch": partial(_stream, spark, registry, source, work, count),
        "bare writes": partial(_bare, spark, spec, parquet, work / "bare"),
    }
    costs: dict[str, list[Cost]] = {name: [] for name in jobs}
    for number in range(rounds + 1):
        for name, job in jobs.items() if number % 2 else reversed(jobs.items()):
            cost = measured(job)
            print(f"  {name:16} {cost} {machine.beside(cost.wall)}{'' if number else '  (warm-up)'}", flush=True)
            if number:
                costs[name].append(cost)
    for name, peer, wanted in (("ingest", "ingest", "throughput >= 0.5"), ("writes", "bare writes", "time <= 1.3")):
        pairs = list(zip(costs["foreach_batch"], costs[peer], strict=True))
        clock, cpu = (statistics.median(getattr(a, of) / getattr(b, of) for a, b in pairs) for of in ("wall", "cpu"))
        shown = (1 / clock, 1 / cpu) if name == "ingest" else (clock, cpu)
        print(f"{name:10} {wanted:20} time {shown[0]:6.2f}   CPU {shown[1]:6.2f}")


def _ingest(spark: Any, registry: Any, source: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    ingest(spark, registry, source, target, keep_duplicates=True)


def _stream(spark: Any, registry: Any, source: Path, work: Path, count: int) -> None:
    for name in ("delta", "checkpoint"):
        shutil.rmtree(work / name, ignore_errors=True)
    seen: list[int] = []
    tables = Tables(
        registry, "delta", str(work / "delta"), keep_duplicates=True, on_batch=lambda counts: seen.append(counts.read)
    )
    stream = spark.readStream.text(str(source)).writeStream.foreachBatch(tables.foreach_batch)
    stream.option("checkpointLocation", str(work / "checkpoint")).trigger(availableNow=True).start().awaitTermination()
    assert seen == [count], seen


def _bare(spark: Any, spec: Any, parquet: Path, target: Path) -> None:
    from pyspark.sql import functions as F

    shutil.rmtree(target, ignore_errors=True)
    rows = spark.read.parquet(str(parquet))

    def table(number: int) -> None:
        urn = spec.urns[number]
        selected = rows.where((F.col("table") == number) & F.col("reason").isNull()).select(
            F.lit(urn).alias("urn"),
            *batch_frame.ENVELOPE,
            utc_day(F.col("created_at")).alias("created_day"),
            F.get(F.col(f"`{urn}`"), F.lit(0)).alias("data"),
            "data_json",
        )
        selected.coalesce(1).write.format("delta").partitionBy("created_day").save(str(target / str(number)))

    def refused() -> None:
        names = ("reason", "pointer", "detail", "urn", "message_id", "trace_id", "lang", "body")
        where = rows.where(F.col("reason").isNotNull()).select(*names)
        where.coalesce(1).write.format("delta").save(str(target / "quarantine"))

    in_threads(spark, [*(partial(table, number) for number in range(len(spec.urns))), refused])


def files_bar(spark: Any, work: Path, ids: int) -> None:
    """Print ``files``: digests are written as batches write them, and the files of their day counted before each.

    Ids become known in batches that grow tenfold when they are tenfold, and one cycle of compaction is counted at each
    size, in batches of :data:`BATCH_IDS`.
    """
    tables = TableSet(spark, delta_table, TablePlace.of(str(work / "digests")))
    tables.prepare(tables.check([digests_layout()]))
    known, opened = 0, []
    for size in (ids, 10 * ids):
        while known < size:
            rows = min(size // 10, size - known)
            _write_digests(tables, known, rows)
            known += rows
        cycle = []
        for _ in range(MOST_FILES - 1):
            cycle.append(_write_digests(tables, known, BATCH_IDS))
            known += BATCH_IDS
        print(f"  {known:,} ids known, files opened by the last {len(cycle)} batches: {cycle}", flush=True)
        opened.append(sum(cycle))
    print(f"files      opened a batch <= 1.2: {opened[1] / opened[0]:6.2f}   at {10 * ids:,} ids over {ids:,}")


def _write_digests(tables: TableSet, first: int, rows: int) -> int:
    """Write the digests of the ids from ``first`` as one batch; return how many files it opened."""
    from datetime import date

    from pyspark.sql import functions as F

    day = date.fromisoformat(DAY)
    counts = delta_table.file_counts(tables.spark, tables.address(DIGESTS), "day", [day])
    numbers = tables.spark.range(first, first + rows)
    hashed = F.substring(F.unhex(F.sha2(F.col("id").cast("string"), 256)), 1, 16)
    batch = F.lit(first).cast("long")
    row = {"day": F.lit(day), "key": hashed, "content": hashed, "application": F.lit("a"), "batch": batch}
    frame = numbers.select(*(column.alias(name) for name, column in row.items())).coalesce(1)
    tables.append(frame, DIGESTS, BatchKey("a", first))
    compact_days(tables, DIGESTS, "day", [day])
    return counts.get(day, 0)


if __name__ == "__main__":
    main()
