"""The bar of ``spark ingest``: exact validation and typed tables at 0.7 of the speed of typing without validation.

    python tests/benchmarks/spark_ingest.py [--messages 1000000] [--pairs 2] [--folder DIR]

Both jobs read the same files and write one typed parquet table a URN, with the same columns, in the same Spark
session, in turns, the order turned each time. The floor types with bare ``from_json``: it reads each envelope once, keeps ``data`` as text, lands
it by URN and types each table from there, several at a time. It refuses nothing, and turns what does not fit into
nulls. ``--floor cached`` keeps the envelopes in memory instead of landing them, ``direct`` reads the files once a URN.
It writes as Spark does by default, in the same codec; ``--tuned`` gives it our way of writing too.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import spark_messages

from babelreg import load
from babelreg.spark import ingest, session
from babelreg.spark.tables import ENVELOPE, WRITING
from babelreg.typemap import spark as typemap

_META = "struct<id: string, queue: string, lang: string, created_at: bigint>"
_ENVELOPE = f"job string, trace_id string, data string, meta {_META}, attempts bigint"


class Floor:
    """Types the files without validating anything."""

    def __init__(self, spark: Any, registry: Any, source: Path, target: Path, way: str, writing: Any) -> None:
        from pyspark.sql.types import StructType

        self._spark = session.configured(spark)
        self._source, self._target, self._way, self._writing = source, target, way, writing
        self._types = {
            urn: StructType.fromJson(typemap.as_json(typemap.columns(schema)))
            for urn, schema in registry.schemas.items()
        }

    def run(self) -> None:
        """Write every table."""
        shutil.rmtree(self._target, ignore_errors=True)
        envelopes = self._envelopes()
        if self._way == "landed":
            landing = str(self._target / "landing")
            options = {"compression": "lz4", "parquet.enable.dictionary": "false"}
            envelopes.write.partitionBy("urn").options(**options).parquet(landing)
            # Listing the folder would infer the column again.
            layout = envelopes.drop("urn").schema
            tables = {
                urn: self._spark.read.schema(layout).parquet(f"{landing}/urn={urn.replace(':', '%3A')}")
                for urn in self._types
            }
        else:
            kept = envelopes.persist() if self._way == "cached" else envelopes
            tables = {urn: kept.where(kept["urn"] == urn) for urn in self._types}
        with ThreadPoolExecutor(self._spark.sparkContext.defaultParallelism + 1) as threads:
            list(threads.map(lambda urn: self._type(tables[urn], urn), self._types))
        if self._way == "cached":
            envelopes.unpersist()

    def _envelopes(self) -> Any:
        from pyspark.sql import functions as F

        lines = self._spark.read.text(str(self._source), lineSep="\n")
        parsed = lines.select(F.from_json("value", _ENVELOPE).alias("e"), F.col("_metadata.file_name").alias("file"))
        return parsed.select(
            F.col("e.job").alias("urn"),
            F.col("e.meta.id").alias("message_id"),
            "e.trace_id",
            F.timestamp_millis("e.meta.created_at").alias("created_at"),
            F.col("e.meta.lang").alias("lang"),
            F.col("e.meta.queue").alias("queue"),
            "e.attempts",
            F.col("file").alias("source_file"),
            F.lit(None).cast("bigint").alias("source_offset"),
            F.col("e.data").alias("data"),
        )

    def _type(self, rows: Any, urn: str) -> None:
        from pyspark.sql import functions as F

        typed = F.from_json("data", self._types[urn]).alias("data")
        columns = [F.lit(urn).alias("urn"), *ENVELOPE, typed, F.col("data").alias("data_json")]
        rows.select(*columns).write.options(**self._writing).parquet(
            str(self._target / "tables" / urn.replace(":", "_"))
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--pairs", type=int, default=2)
    parser.add_argument("--floor", choices=["landed", "cached", "direct"], default="landed")
    parser.add_argument("--tuned", action="store_true", help="let the floor write as we do")
    parser.add_argument("--remove-duplicates", action="store_true", help="with duplicate removal, which the bar is not")
    parser.add_argument("--folder", type=Path, help="keep input and output here; made once")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        _measure(asked, (asked.folder or Path(temporary)).resolve())


def _measure(asked: argparse.Namespace, folder: Path) -> None:
    source = folder / f"in-{asked.messages}"
    if not source.is_dir():
        size = spark_messages.write_input(source, asked.messages)
        print(f"{asked.messages:,} messages, {size / asked.messages:.0f} bytes each")
    spark_messages.write_registry(folder / "registry")
    registry = load.registry(folder / "registry")
    print(f"python -c pass   {_python_pass():6.3f} s")
    print(f"fixed CPU loop   {_cpu_loop():6.3f} s")
    spark = session.start("spark_ingest benchmark")
    writing = WRITING if asked.tuned else {"compression": WRITING["compression"]}
    floor = Floor(spark, registry, source, folder / "floor", asked.floor, writing)

    def ours() -> None:
        shutil.rmtree(folder / "out", ignore_errors=True)
        done = ingest(spark, registry, source, folder / "out", keep_duplicates=not asked.remove_duplicates)
        assert done.read == asked.messages

    ratios: list[float] = []
    for pair in range(asked.pairs + 1):
        order = [("floor", floor.run), ("ours", ours)]
        times = dict(_timed(name, job) for name, job in (order if pair % 2 else reversed(order)))
        ratio = times["floor"] / times["ours"]
        print(f"pair {pair}: throughput {ratio:.2f} of the floor{'' if pair else '  (warm-up, not counted)'}")
        ratios += [ratio] if pair else []
    print(f"fixed CPU loop   {_cpu_loop():6.3f} s")
    print(f"throughput {statistics.median(ratios):.2f} of the floor (bar 0.70)")


def _timed(name: str, job: Callable[[], None]) -> tuple[str, float]:
    start = time.perf_counter()
    job()
    taken = time.perf_counter() - start
    print(f"  {name:6} {taken:7.1f} s", flush=True)
    return name, taken


def _python_pass() -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - start


def _cpu_loop() -> float:
    start, total = time.perf_counter(), 0
    for number in range(5_000_000):
        total += number
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
