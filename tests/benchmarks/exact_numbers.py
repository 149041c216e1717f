"""The cost of the search for numbers that no double returns, on messages that have none; the bar is 3 %.

    python tests/benchmarks/exact_numbers.py [--messages 60000] [--processes 7] [--only task|ingest] [--instructions]

Two inputs: messages without long numbers, and the same with a shortest double of 17 digits (0.30000000000000004) in
each. Two measures: the pass of one task, and the whole command ``spark ingest --engine local``. Each runs as it is, and
with the search switched off; what counts is the median of the ratios of processor times.

Machines that do other work differ from second to second by more than the bar. So the pairs of the pass are short: a
process validates, types and writes each 4 MB of the input with and without the search, one directly after the other in
alternating order. Each pair of the command is two processes. All of them run on one processor. The quartiles show how
far apart pairs are. ``--instructions`` counts the instructions of the pass by Valgrind instead, with hardly any noise,
but blind to the cache.
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

ROOT = Path(__file__).parents[2]
BAR, DIGITS, PART_BYTES = 0.03, 17, 4 * 1024 * 1024
INPUTS = {"no long numbers": False, "17 digits": True}
SWITCHES = ("on", "off")
_WEIGHT = re.compile(rb'"weight":[0-9.]+')
_INSTRUCTIONS = re.compile(r"I +refs: +([0-9,]+)")
_SECONDS = "seconds: "


def main() -> int:
    """Print a line for each measure and input; return 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=60_000)
    parser.add_argument("--processes", type=int, default=7, help="of the pass; three times as many pairs of the command")
    parser.add_argument("--only", choices=["task", "ingest"])
    parser.add_argument("--instructions", action="store_true")
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
            if given.instructions:
                (on,), (off,) = (_spent(home, "task", source, switch, count=True) for switch in SWITCHES)
                missed |= _shown(f"instructions, {title}", [on / off - 1])
                continue
            if given.only != "ingest":
                runs = [_spent(home, "task", source, "both") for _ in range(given.processes)]
                pairs = [pair for seconds in runs for pair in zip(seconds[::2], seconds[1::2], strict=True)]
                missed |= _shown(f"task, {title}", [on / off - 1 for on, off in pairs])
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


def _shown(title: str, costs: list[float]) -> bool:
    """Print a line; return True where the bar is missed."""
    median = statistics.median(costs)
    low, _, high = statistics.quantiles(costs, n=4) if len(costs) > 1 else costs * 3
    print(f"{title:32} {median:+6.1%}  ({low:+.1%} to {high:+.1%}, {len(costs)} pairs)  bar {BAR:.0%}", flush=True)
    return median > BAR


def _pair(home: Path, source: str, number: int) -> float:
    order = SWITCHES if number % 2 else SWITCHES[::-1]
    spent = {switch: _spent(home, "ingest", source, switch)[0] for switch in order}
    return spent["on"] / spent["off"] - 1


def _spent(home: Path, measure: str, source: str, switch: str, *, count: bool = False) -> list[float]:
    """Return the processor seconds that a new process prints, or the number of its instructions."""
    counter = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    processor = str(max(os.sched_getaffinity(0)))
    command = [*(counter if count else []), sys.executable, __file__, "--run", measure, source, switch]
    done = subprocess.run(
        ["taskset", "-c", processor, *command],
        cwd=home, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    if count:
        found = _INSTRUCTIONS.search(done.stderr)
        assert found is not None, done.stderr
        return [float(found[1].replace(",", ""))]
    return [float(line.removeprefix(_SECONDS)) for line in done.stdout.splitlines() if line.startswith(_SECONDS)]


def _run(measure: str, source: str, switch: str) -> int:
    """Run one measure in this process; print its seconds, those with the search before those without it."""
    if measure == "task":
        for on, off in _task(Path(source), switch):
            print(f"{_SECONDS}{on}\n{_SECONDS}{off}")
    else:
        print(f"\n{_SECONDS}{_ingest(source, switch)}", flush=True)
    return 0


@contextmanager
def _switched(switch: str) -> Iterator[None]:
    from babelreg.spark.tasks import message_batch

    search = message_batch.certainly_exact
    if switch == "off":
        message_batch.certainly_exact = lambda bodies: [True] * len(bodies)
    yield
    message_batch.certainly_exact = search


def _task(folder: Path, switch: str) -> Iterator[tuple[float, float]]:
    """Validate and type the messages as the tasks of an ingest do; yield the seconds of each few megabytes."""
    import gc

    from babelreg.contract.parse import deep
    from babelreg.spark.sources.message_files import FileRange, FileSource
    from babelreg.spark.tasks.staging_writer import TaskWriter
    from babelreg.spark.tasks.validation_spec import ValidationSpec

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

    def once(start: int, switch: str) -> float:
        with _switched(switch):
            return seconds(start)

    with deep():
        once(0, "on")  # builds the validators
        for number, start in enumerate(range(0, size, PART_BYTES)):
            gc.collect()
            gc.disable()  # as the landing does
            if switch != "both":
                yield once(start, switch), 0.0
                continue
            order = SWITCHES if number % 2 else SWITCHES[::-1]
            spent = {switch: once(start, switch) for switch in order}
            yield spent["on"], spent["off"]


def _ingest(source: str, switch: str) -> float:
    """Return the seconds of the command, its start included."""
    from babelreg.cli import main as command

    with tempfile.TemporaryDirectory(dir=".") as lake, _switched(switch):
        sys.argv = ["babelreg", "spark", "ingest", "--engine", "local", "--input", source]
        sys.argv += ["--lake", f"{lake}/lake", "--registry", "registry"]
        try:
            command()
        except SystemExit as end:
            assert not end.code, "the command failed"
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


if __name__ == "__main__":
    sys.exit(main())
