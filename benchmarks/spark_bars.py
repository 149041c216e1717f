"""The bars of ``lake ingest``, side by side in one warm session, in turns, the order turned each round.

    python benchmarks/spark_bars.py [--quick] [--bars floor,udf,pass,linear,urns] [--messages N] [--rounds N]

About 12 minutes at full size on two cores. Each figure is the median over the rounds of a ratio within a round; beside
it stands the same ratio of CPU time, of all processes, which a busy machine spoils less. What is compared:

``exact``, ``removal``   ingest without and with duplicate removal, against ``spark_floor``: bare ``from_json`` and the
                         same tables, in the faster of its ways (told in the first round, not counted) and with our
                         options for the files. With Spark's own options it is shown too, and ``one table``: the columns
                         of all URNs in one table, partitioned by URN. The floor knows no positions, which saves a column.
``udf``                  ingest, duplicates removed, against ``spark_jsonschema`` and the same tables, on fewer
                         messages. Both pay for starting tables that are small, so that is to the UDF's advantage.
``pass``                 the Arrow pass alone (spec, canonical JSON, digests, typed columns; thrown away) against
                         ``from_json`` alone (envelope and the columns of all URNs; thrown away).
``linear``               the time a message of ingest, ten times the messages at once (other ids, the same rest).
``urns``                 ingest of as many messages of 1,000 URNs (100 with ``--quick``) as of 20. Nothing is compacted
                         in either.

Input is made once and kept in ``--folder``; about 15 GB are needed at full size.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import machine
import spark_floor
import spark_jsonschema
import spark_messages
import spark_pass
from spark_cost import Cost, measured

from babelreg import load
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.spark import ingest
from babelreg.spark.session import local

PARTS = ("floor", "udf", "pass", "linear", "urns")
PLAIN = {"compression": spark_floor.WRITING["compression"]}
TIMES = 10


@dataclass(frozen=True, slots=True)
class Bar:
    """``of`` divided by ``by`` must be at least ``least`` or at most ``most``; neither for a figure that is shown only.

    A throughput is the time of the other one, divided by ours.
    """

    part: str
    name: str
    of: str
    by: str
    least: float | None = None
    most: float | None = None


BARS = (
    Bar("floor", "exact + typed, of the floor's throughput", "floor, our options", "ingest, all kept", least=1.9),
    Bar("floor", "  ... of the floor with Spark's options", "floor, its options", "ingest, all kept"),
    Bar("floor", "  ... of one table with all columns", "one table", "ingest, all kept", least=1.0),
    Bar("floor", "with duplicate removal, of the floor's", "floor, our options", "ingest", least=0.5),
    Bar("udf", "throughput over jsonschema UDFs", "jsonschema", "ingest, fewer", least=4.0),
    Bar("pass", "Arrow pass, of bare from_json's time", "pass", "from_json", most=1.8),
    Bar("pass", "  ... without digests (duplicates kept)", "pass, no digests", "from_json"),
    Bar("pass", "  ... without digests and typed columns", "pass, untyped", "from_json"),
    Bar("linear", f"time a message, {TIMES} times the messages", f"ingest, {TIMES} times", "ingest", most=1.15),
    Bar("urns", "time of many URNs, of that of 20", "ingest, many URNs", "ingest", most=2.0),
)


@dataclass
class RowValidator:
    """The session, the input and what was measured: costs by job, one a round."""

    spark: Any
    folder: Path
    count: int
    fewer: int
    urns: int
    costs: dict[str, list[Cost]] = field(default_factory=dict)
    way: str = "landed"

    def input(self, count: int, urns: int = spark_messages.URNS) -> Path:
        """Messages in files, made when they are first asked for."""
        folder = self.folder / f"in-{count}-{urns}"
        if not folder.is_dir():
            made = folder.with_name(f".{folder.name}")
            shutil.rmtree(made, ignore_errors=True)
            spark_messages.write_input(made, count, urns=urns)
            made.rename(folder)
        return folder

    def more(self) -> Path:
        """The same messages, ten times."""
        folder = self.folder / f"in-{self.count}-times-{TIMES}"
        if not folder.is_dir():
            made = folder.with_name(f".{folder.name}")
            shutil.rmtree(made, ignore_errors=True)
            spark_messages.write_more(made, self.input(self.count), TIMES)
            made.rename(folder)
        return folder

    def registry(self, urns: int = spark_messages.URNS) -> Any:
        """The registry of those messages, loaded."""
        folder = self.folder / f"registry-{urns}"
        spark_messages.write_registry(folder, urns)
        return load.registry(folder)

    def ingest(self, source: Path, registry: Any, count: int, *, keep: bool = False) -> None:
        """All of ``source`` into a new output, which is checked and removed."""
        target = self.folder / "out"
        shutil.rmtree(target, ignore_errors=True)
        done = ingest(self.spark, registry, source, target, keep_duplicates=keep)
        assert done.read == count == done.accepted + done.quarantined, done
        assert 0.005 < done.quarantined / count < 0.02, done

    def run(self, name: str, job: Callable[[], object], *, counted: bool = True) -> Cost:
        """Do one job and tell what it took."""
        cost = measured(job)
        if counted:
            self.costs.setdefault(name, []).append(cost)
        print(f"  {name:22} {cost} {machine.beside(cost.wall)}{'' if counted else '  (not counted)'}", flush=True)
        return cost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything, one round: to see that it runs")
    parser.add_argument("--bars", default=",".join(PARTS), help="some of %(default)s")
    parser.add_argument("--messages", type=int)
    parser.add_argument("--fewer", type=int, help="messages for the UDF, 100,000 unless told")
    parser.add_argument("--rounds", type=int)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "babelreg-benchmarks"
    parser.add_argument("--folder", type=Path, default=cache, help="where input is kept and output made: %(default)s")
    asked = parser.parse_args()
    parts = set(asked.bars.split(","))
    if not parts <= set(PARTS):
        parser.error(f"--bars takes some of {','.join(PARTS)}")
    count = asked.messages or (100_000 if asked.quick else 1_000_000)
    fewer = min(count, asked.fewer or (20_000 if asked.quick else 100_000))
    asked.folder.mkdir(parents=True, exist_ok=True)
    _check_space(asked.folder, count, "linear" in parts)
    print(machine.described())
    spark = local.start("babelreg benchmark")
    validator = RowValidator(spark, asked.folder.resolve(), count, fewer, 100 if asked.quick else 1_000)
    try:
        _measure(validator, parts, asked.rounds or (1 if asked.quick else 3))
    finally:
        for made in ("out", "floor"):
            shutil.rmtree(validator.folder / made, ignore_errors=True)
    print(machine.described())
    _tell(validator, parts)


def _measure(validator: RowValidator, parts: set[str], rounds: int) -> None:
    jobs = _jobs(validator, parts)
    print(f"warm-up, {validator.count:,} messages", flush=True)
    if "floor" in parts:
        validator.way = _faster_way(validator)
        print(f"  the floor's way is {validator.way}")
    for name, job in jobs.items():
        if not name.startswith("floor"):
            validator.run(name, job, counted=False)
    for number in range(rounds):
        print(f"round {number + 1}", flush=True)
        for name, job in jobs.items() if number % 2 else reversed(jobs.items()):
            validator.run(name, job)
    if "linear" in parts:
        source, registry, count = validator.more(), validator.registry(), validator.count * TIMES
        print(f"{count:,} messages", flush=True)
        cost = validator.run(
            f"ingest, {TIMES} times", partial(validator.ingest, source, registry, count), counted=False
        )
        one = Cost(cost.wall / TIMES, cost.cpu / TIMES)
        validator.costs[f"ingest, {TIMES} times"] = [one] * rounds


def _jobs(validator: RowValidator, parts: set[str]) -> Mapping[str, Callable[[], object]]:
    """What is done in each round, by name."""
    source, registry = validator.input(validator.count), validator.registry()
    jobs: dict[str, Callable[[], object]] = {}
    if "floor" in parts:
        jobs["floor, our options"] = lambda: _floor(validator, validator.way, spark_floor.WRITING)
        jobs["floor, its options"] = lambda: _floor(validator, validator.way, PLAIN)
        rows, target = spark_floor.unchecked(source), validator.folder / "floor"
        jobs["one table"] = partial(spark_floor.one_table, validator.spark, registry.schemas, rows, target)
        jobs["ingest, all kept"] = partial(validator.ingest, source, registry, validator.count, keep=True)
    if parts & {"floor", "linear", "urns"}:
        jobs["ingest"] = partial(validator.ingest, source, registry, validator.count)
    if "pass" in parts:
        spec, bare = ValidationSpec.of(registry.schemas), ValidationSpec.of(registry.schemas, digests=False)
        jobs["from_json"] = partial(spark_floor.parse_only, validator.spark, source, registry.schemas)
        jobs["pass"] = partial(spark_pass.run, validator.spark, source, spec, typed=True)
        jobs["pass, no digests"] = partial(spark_pass.run, validator.spark, source, bare, typed=True)
        jobs["pass, untyped"] = partial(spark_pass.run, validator.spark, source, bare, typed=False)
    if "urns" in parts:
        many = validator.input(validator.count, validator.urns)
        jobs["ingest, many URNs"] = partial(validator.ingest, many, validator.registry(validator.urns), validator.count)
    if "udf" in parts:
        few = validator.input(validator.fewer)
        slow = spark_jsonschema.validated(few, registry.schemas)
        tables = spark_floor.Tables(validator.spark, registry.schemas, slow, validator.folder / "floor")
        jobs["jsonschema"] = partial(tables.write, "landed", spark_floor.WRITING)
        jobs["ingest, fewer"] = partial(validator.ingest, few, registry, validator.fewer)
    return jobs


def _floor(validator: RowValidator, way: str, writing: Mapping[str, str], count: int | None = None) -> None:
    source, schemas = validator.input(count or validator.count), validator.registry().schemas
    tables = spark_floor.Tables(validator.spark, schemas, spark_floor.unchecked(source), validator.folder / "floor")
    tables.write(way, writing)


def _faster_way(validator: RowValidator) -> str:
    """``direct`` reads the files once a URN: a tenth of them tells enough."""
    validator.run(
        "floor, direct, a tenth",
        lambda: _floor(validator, "direct", spark_floor.WRITING, validator.fewer),
        counted=False,
    )
    took = []
    for way in ("landed", "cached") * 2:  # the first of all pays for the warm-up
        took.append(
            (
                validator.run(
                    f"floor, {way}", partial(_floor, validator, way, spark_floor.WRITING), counted=False
                ).wall,
                way,
            )
        )
    return min(took)[1]


def _tell(validator: RowValidator, parts: set[str]) -> None:
    print(f"\n{'':42} {'time':>6} {'CPU':>6}  bar")
    for bar in BARS:
        if bar.part not in parts:
            continue
        pairs = list(zip(validator.costs[bar.of], validator.costs[bar.by], strict=True))
        time_ratio = statistics.median(of.wall / by.wall for of, by in pairs)
        cpu_ratio = statistics.median(of.cpu / by.cpu for of, by in pairs)
        held = (bar.least is None or time_ratio >= bar.least) and (bar.most is None or time_ratio <= bar.most)
        wanted = f">= {bar.least}" if bar.least else f"<= {bar.most}" if bar.most else ""
        verdict = f"{wanted:8}{'held' if held else 'MISSED'}" if wanted else "shown"
        print(f"{bar.name:42} {time_ratio:6.2f} {cpu_ratio:6.2f}  {verdict}")
    print(f"\n{'':24} {'us a message':>14} {'CPU us':>8}")
    for name, costs in validator.costs.items():
        count = validator.fewer if name in ("jsonschema", "ingest, fewer") else validator.count
        wall, cpu = (statistics.median(getattr(one, of) for one in costs) / count * 1e6 for of in ("wall", "cpu"))
        print(f"{name:24} {wall:14.2f} {cpu:8.2f}")


def _check_space(folder: Path, count: int, linear: bool) -> None:
    needed = count * 600 * (2 * TIMES + 6 if linear else 6)
    free = shutil.disk_usage(folder).free
    if free < needed:
        sys.exit(f"{needed / 1e9:.0f} GB are needed in {folder}, {free / 1e9:.0f} GB are free: give another --folder")


if __name__ == "__main__":
    main()
