"""The cost of the search for numbers that no double returns, on messages that have none; the bar is 3 %.

    python benchmarks/exact_numbers.py [--messages 30000] [--processes 7] [--only task|ingest]

Two inputs: messages without long numbers, and the same with a shortest double of 17 digits (0.30000000000000004) in
each. Two measures: the pass of one task, and the whole command ``lake ingest --engine local``. Each runs as it is, and
with the search switched off, on one processor; what counts is the median of the ratios of processor times.

A machine that does other work differs from second to second by more than the bar. So a process of the pass validates,
types and writes each megabyte of the input several times with and without the search, in alternating order, and the
fastest times count; their sums are one pair. Each pair of the command is two processes. The quartiles show how far apart
pairs are.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import machine
import spark_messages

ROOT = Path(__file__).parents[1]
BAR, DIGITS, PART_BYTES = 0.03, 17, 1024 * 1024
INPUTS = {"no long numbers": False, "17 digits": True}
SWITCHES, REPETITIONS = ("on", "off"), 4
_WEIGHT = re.compile(rb'"weight":[0-9.]+')
_SECONDS = "seconds: "


def main() -> int:
    """Print a line for each measure and input; return 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=30_000)
    parser.add_argument(
        "--processes", type=int, default=7, help="of the pass; three times as many pairs of the command"
    )
    parser.add_argument("--only", choices=["task", "ingest"])
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        return _run(*given.run)
    missed = False
    with tempfile.TemporaryDirectory(prefix="exact-numbers-") as name:
        home = Path(name)
        spark_messages.write_registry(home / "registry")
        for title, long in INPUTS.items():
            source = f"input-{long}"
            _write_input(home / source, given.messages, long=long)
            if given.only != "ingest":
                pairs = [_spent(home, "task", source, "both") for _ in range(given.processes)]
                missed |= _shown(f"task, {title}", pairs)
            if given.only != "task":
                missed |= _shown(f"ingest, {title}", [_pair(home, source, n) for n in range(3 * given.processes)])
    print(machine.described())
    return int(missed)


def _write_input(folder: Path, count: int, *, long: bool) -> None:
    spark_messages.write_input(folder, count, files=1, bad_share=0)
    source = random.Random(17)
    for path in folder.iterdir() if long else ():
        path.write_bytes(_WEIGHT.sub(lambda _: b'"weight":' + _long_double(source), path.read_bytes()))


def _long_double(source: random.Random) -> bytes:
    while True:
        text = repr(source.random() + 0.1)
        if len(text.replace(".", "").lstrip("0")) == DIGITS:
            return text.encode()


def _shown(title: str, pairs: list[list[float]]) -> bool:
    """Print a line; return True where the bar is missed. ``pairs`` are seconds with and without the search."""
    costs = [on / off - 1 for on, off in pairs]
    median, loops = statistics.median(costs), machine.beside(statistics.median(off for _, off in pairs), processor=True)
    low, _, high = statistics.quantiles(costs, n=4) if len(costs) > 1 else costs * 3
    print(
        f"{title:32} {median:+6.1%}  ({low:+.1%} to {high:+.1%}, {len(costs)} pairs)  bar {BAR:.0%}  {loops}",
        flush=True,
    )
    return median > BAR


def _pair(home: Path, source: str, number: int) -> list[float]:
    order = SWITCHES if number % 2 else SWITCHES[::-1]
    spent = {switch: _spent(home, "ingest", source, switch)[0] for switch in order}
    return [spent[switch] for switch in SWITCHES]


def _spent(home: Path, measure: str, source: str, switch: str) -> list[float]:
    """Return the processor seconds that a new process prints."""
    processor = str(max(os.sched_getaffinity(0)))
    done = subprocess.run(
        ["taskset", "-c", processor, sys.executable, __file__, "--run", measure, source, switch],
        cwd=home, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return [float(line.removeprefix(_SECONDS)) for line in done.stdout.splitlines() if line.startswith(_SECONDS)]


def _run(measure: str, source: str, switch: str) -> int:
    """Run one measure in this process; print its seconds, those with the search before those without it."""
    if measure == "task":
        print("".join(f"{_SECONDS}{seconds}\n" for seconds in _task(Path(source))))
    else:
        print(f"\n{_SECONDS}{_ingest(source, switch)}", flush=True)
    return 0


@contextmanager
def _switched(switch: str) -> Iterator[None]:
    from babelreg.lake.input import message_files

    search = message_files.certainly_exact_in
    if switch == "off":
        message_files.certainly_exact_in = lambda text, ends: [True] * len(ends)
    yield
    message_files.certainly_exact_in = search


def _task(folder: Path) -> tuple[float, float]:
    """Validate, type and write messages as the tasks of an ingest do; return the seconds with and without the search."""
    import gc

    from babelreg.contract.parse import deep
    from babelreg.lake.input.message_files import FileRange, FileSource
    from babelreg.lake.tasks.staging_writer import TaskWriter
    from babelreg.lake.tasks.validation_spec import ValidationSpec

    spec = ValidationSpec.of({spark_messages.urn(number): spark_messages.schema(number) for number in range(20)})
    validator = spec.row_validator()
    (path,) = folder.iterdir()
    size = path.stat().st_size

    def seconds(start: int) -> float:
        part = FileRange(path.name, start, min(start + PART_BYTES, size), size)
        source = FileSource(str(folder.resolve()), (part,), 1)
        with tempfile.TemporaryDirectory(dir=".") as staging:
            writer = TaskWriter(spec, Path(staging))
            writer._validator = validator  # as in a longer split
            began = time.process_time()
            with writer:
                for chunk in source.chunks((part,)):
                    writer.add(chunk)
            spent = time.process_time() - began
        assert writer.messages
        return spent

    on = off = 0.0
    with deep():
        seconds(0)  # builds the validators
        gc.disable()  # as the landing does
        for start in range(0, size - PART_BYTES, PART_BYTES):
            spent: dict[str, list[float]] = {switch: [] for switch in SWITCHES}
            for number in range(REPETITIONS):
                for switch in SWITCHES if number % 2 else SWITCHES[::-1]:
                    with _switched(switch):
                        spent[switch].append(seconds(start))
            on, off = on + min(spent["on"]), off + min(spent["off"])
            gc.collect()
    return on, off


def _ingest(source: str, switch: str) -> float:
    """Return the seconds of the command, its start included."""
    from babelreg.cli import main as command

    with tempfile.TemporaryDirectory(dir=".") as lake, _switched(switch):
        words = ["lake", "ingest", "--engine", "local", "--input", source, "--lake", f"{lake}/lake"]
        try:
            command([*words, "--registry", "registry"])  # without arguments it would end this process
        except SystemExit as end:
            assert not end.code, "the command failed"
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


if __name__ == "__main__":
    sys.exit(main())
