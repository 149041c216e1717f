"""What it takes to publish one batch as Delta and as Iceberg tables, beside the ingest that wrote it.

    python benchmarks/spark_publish.py [--messages N] [--rounds N] [--engine spark|local] [--folder DIR]

A batch of 1,000,000 messages of 20 URNs is ingested in a warm session, then published by `babelreg lake publish` in a
process of its own, so that the start of Python and the import of the libraries count as well. All 21 tables are new.
Ratios are of CPU time of all processes; those of wall time stand beside them. The bars: Delta takes at most 10 % of its
ingest, Iceberg at most 25 %.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import machine
import spark_messages
from spark_cost import Cost, measured

from babelreg import load
from babelreg.spark import ingest

BARS = {"delta": 0.10, "iceberg": 0.25}


def main() -> int:
    """Measures and prints; returns 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--engine", choices=["spark", "local"], default="spark")
    parser.add_argument("--folder", type=Path, default=Path(gettempdir()) / "babelreg-publish")
    args = parser.parse_args()
    print(machine.described())
    source = _input(args.folder, args.messages)
    spark_messages.write_registry(args.folder / "registry")
    registry = load.registry(args.folder / "registry")
    engine = _engine(args.engine)
    ingest(engine, registry, _input(args.folder, 20_000), args.folder / "warm")
    shutil.rmtree(args.folder / "warm")
    ratios: dict[str, list[tuple[float, float]]] = {name: [] for name in BARS}
    for _ in range(args.rounds):
        lake = args.folder / "lake"
        shutil.rmtree(lake, ignore_errors=True)
        whole = measured(partial(ingest, engine, registry, source, lake))
        print(f"  ingest, {args.engine:8} {whole} {machine.beside(whole.cpu, processor=True)}", flush=True)
        for name in BARS:
            cost = _published(lake, name)
            ratios[name].append((cost.cpu / whole.cpu, cost.wall / whole.wall))
            print(f"  {name:16} {cost} {machine.beside(cost.cpu, processor=True)}", flush=True)
    shutil.rmtree(args.folder / "lake")
    missed = 0
    for name, most in BARS.items():
        cpu, wall = (statistics.median(pair[at] for pair in ratios[name]) for at in range(2))
        missed |= cpu > most
        print(f"{name:8} {cpu:6.1%} of the CPU of its ingest, {wall:6.1%} of its time; at most {most:.0%}")
    return int(missed)


def _engine(name: str) -> Any:
    if name == "local":
        return name
    from babelreg.spark.session import local

    return local.start("babelreg benchmark")


def _input(folder: Path, count: int) -> Path:
    """Messages in files, made when they are first asked for."""
    source = folder / f"in-{count}"
    if not source.is_dir():
        made = source.with_name(f".{source.name}")
        shutil.rmtree(made, ignore_errors=True)
        spark_messages.write_input(made, count)
        made.rename(source)
    return source


def _published(lake: Path, name: str) -> Cost:
    """Publish ``lake`` in a new process, and look at what it says."""
    command = [sys.executable, "-m", "babelreg", "lake", "publish", "--lake", str(lake), "--to", name]
    output = lake.with_name("published.json")

    def run() -> None:
        with output.open("wb") as file:
            subprocess.run([*command, "--format", "json"], check=True, stdout=file)

    cost = measured(run)
    tables = json.loads(output.read_bytes())["formats"][name]["tables"]
    assert len(tables) == spark_messages.URNS + 1, tables
    return cost


if __name__ == "__main__":
    sys.exit(main())
