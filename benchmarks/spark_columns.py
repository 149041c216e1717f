"""Frames beside ``from_json`` and beside the pass of an ingest, in turns in one warm session; everything is thrown away.

    python benchmarks/spark_columns.py [--messages 200000] [--rounds 3]

``from_json``   envelope and the columns of all URNs, of unvalidated messages
``pass``        what the tasks of an ingest do, all kept: validation, canonical JSON, typed columns
``frame``       ``validate_frame``: the verdict, the envelope and ``data_json`` of every message
``one URN``     ``typed`` of one URN, in the same pass
``all URNs``    ``validate_frame`` with a column for each of the 20 URNs

Each figure is the median over the rounds of a ratio within a round, of wall time and of the CPU time of all processes.
Nothing is required of them; the second half of the table says what a message takes.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import machine
import spark_floor
import spark_messages
import spark_pass
from spark_cost import Cost, measured

from babelreg import load
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.model import Registry
from babelreg.spark import typed, validate_frame
from babelreg.spark.session import local

COMPARED = [
    ("frame", "from_json"),
    ("frame", "pass"),
    ("one URN", "frame"),
    ("all URNs", "frame"),
    ("all URNs", "from_json"),
]


def jobs(spark: Any, source: Path, registry: Registry) -> dict[str, Callable[[], object]]:
    """What is compared, by name."""
    spec, urns = ValidationSpec.of(registry.schemas, digests=False), list(registry.schemas)
    lines = spark_floor.lines(spark, source)

    def one() -> Any:
        return typed(validate_frame(lines, registry, urns=urns[0]), urns[0], registry)

    return {
        "from_json": partial(spark_floor.parse_only, spark, source, registry.schemas),
        "pass": partial(spark_pass.run, spark, source, spec, typed=True),
        "frame": lambda: _thrown_away(validate_frame(lines, registry).drop("value")),
        "one URN": lambda: _thrown_away(one()),
        "all URNs": lambda: _thrown_away(validate_frame(lines, registry, urns=urns).drop("value")),
    }


def _thrown_away(rows: Any) -> None:
    rows.write.format("noop").mode("overwrite").save()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    costs: dict[str, list[Cost]] = {}
    print(machine.described())
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in"
        spark_messages.write_input(source, asked.messages)
        spark_messages.write_registry(Path(folder) / "registry")
        spark = local.start("babelreg benchmark")
        work = jobs(spark, source, load.registry(Path(folder) / "registry"))
        for number in range(asked.rounds + 1):
            print(f"round {number}" if number else "warm-up", flush=True)
            for name, job in work.items() if number % 2 else reversed(work.items()):
                cost = measured(job)
                print(f"  {name:12} {cost}", flush=True)
                if number:
                    costs.setdefault(name, []).append(cost)
        spark.stop()
    print(f"\n{'':26} {'time':>6} {'CPU':>6}")
    for of, by in COMPARED:
        pairs = list(zip(costs[of], costs[by], strict=True))
        wall, cpu = (
            statistics.median(getattr(a, what) / getattr(b, what) for a, b in pairs) for what in ("wall", "cpu")
        )
        print(f"{of + ' / ' + by:26} {wall:6.2f} {cpu:6.2f}")
    for name, measures in costs.items():
        wall, cpu = (statistics.median(getattr(c, w) for c in measures) / asked.messages * 1e6 for w in ("wall", "cpu"))
        print(f"{name:26} {wall:6.1f} {cpu:6.1f} us a message")
    return 0


if __name__ == "__main__":
    sys.exit(main())
