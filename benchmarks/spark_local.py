"""The bar of the engine without a JVM: ingest of 10,000 messages for 0.2 of the processor time that Spark takes.

    python benchmarks/spark_local.py [--messages 50 10000] [--rounds 3] [--cache DIR]

Each is the whole command ``babelreg lake ingest``, into a new lake: its processor time is that of all processes below
it, Java and the workers included, until the last has ended. Spark starts with the archive of its classes, which is made
first, unless ``--cache`` names a folder that has it. The order turns each round; figures are medians. Linux only.

``--messages 50 10000 1000000`` also shows from where on the start no longer counts.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import machine
import spark_cost
import spark_messages

ROOT = Path(__file__).parents[1]
BAR_MESSAGES, BAR = 10_000, 0.2
ENGINES = ("spark", "local")
_PAUSE_SECONDS = 0.2


class Run(NamedTuple):
    """Seconds of one command: by the clock, and of the processor."""

    wall: float
    cpu: float


def main() -> int:
    """Returns 1 when the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, nargs="+", default=[50, BAR_MESSAGES])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cache", type=Path)
    asked = parser.parse_args()
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: Java outlives who started it by a moment
    missed = False
    with tempfile.TemporaryDirectory(prefix="spark-local-") as folder:
        home = Path(folder)
        env = {**os.environ, "PYTHONPATH": str(ROOT), "BABELREG_CACHE_DIR": str(asked.cache or home / "cache")}
        spark_messages.write_registry(home / "registry")
        print(f"{'messages':>9}  {'spark: wall':>12} {'cpu':>8}  {'local: wall':>12} {'cpu':>8}  {'ratio of cpu':>12}")
        for count in asked.messages:
            missed |= not _compared(count, home, env, asked.rounds)
        print(machine.described())
    return int(missed)


def _compared(count: int, home: Path, env: dict[str, str], rounds: int) -> bool:
    """Print a line; return False where the bar is missed."""
    spark_messages.write_input(home / f"in{count}", count, files=4)
    runs: dict[str, list[Run]] = {engine: [] for engine in ENGINES}
    for number in range(rounds):
        for engine in sorted(ENGINES, reverse=number % 2 == 0):
            options = ["--input", f"in{count}", "--lake", f"{engine}-{count}-{number}", "--registry", "registry"]
            runs[engine].append(_measured([*_command("ingest"), *options, "--engine", engine], home, env))
    wall, cpu = ({name: statistics.median(run[n] for run in runs[name]) for name in ENGINES} for n in (0, 1))
    ratio = cpu["local"] / cpu["spark"]
    bar = f"  bar {BAR}" if count == BAR_MESSAGES else ""
    loops = machine.beside(cpu["local"], processor=True).strip()
    print(
        f"{count:>9,}  {wall['spark']:>10.1f} s {cpu['spark']:>6.1f} s  {wall['local']:>10.1f} s {cpu['local']:>6.1f} s"
        f"  {ratio:>12.2f}{bar}  (local: {loops})",
        flush=True,
    )
    return count != BAR_MESSAGES or ratio <= BAR


def _command(name: str) -> list[str]:
    return [sys.executable, "-m", "babelreg", "lake", name]


def _measured(command: Sequence[str], folder: Path, env: dict[str, str]) -> Run:
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.DEVNULL)
    ended = threading.Event()
    forgotten: dict[int, float] = {}
    watch = threading.Thread(target=_watch, args=(ended, forgotten))
    watch.start()
    waited, wall = _wait_for_all(process, lambda: time.perf_counter() - began)
    ended.set()
    watch.join()
    return Run(wall, sum(waited.values()) + sum(used for pid, used in forgotten.items() if pid not in waited))


def _watch(ended: threading.Event, forgotten: dict[int, float]) -> None:
    """Remember what processes have used that nobody waits for: the Python workers of Spark."""
    while not ended.wait(_PAUSE_SECONDS):
        family = spark_cost._family()
        for pid, fields in family.items():
            if spark_cost._ignores_children(fields[1]):
                forgotten[pid] = spark_cost._used(fields)


def _wait_for_all(process: subprocess.Popen[bytes], clock: Callable[[], float]) -> tuple[dict[int, float], float]:
    """Return the seconds of each process that ended here, with what it waited for, and when ``process`` did."""
    used: dict[int, float] = {}
    wall = 0.0
    while True:
        try:
            pid, status, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return used, wall
        used[pid] = usage.ru_utime + usage.ru_stime
        if pid == process.pid:
            wall, process.returncode = clock(), os.waitstatus_to_exitcode(status)
            assert process.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
