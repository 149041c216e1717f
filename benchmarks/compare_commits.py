"""What comparisons cost beside an earlier commit: ``python benchmarks/compare_commits.py --old PATH FILE...``.

PATH is a checkout of the earlier commit (``git worktree add PATH COMMIT``), whose dependencies must be those of this
one. Each FILE has JSON lines with ``old``, ``new`` and ``draft``, as ``compat_score.py`` takes them. A server of each
checkout answers the same pairs, one after the other in alternating order, so that a busy machine slows both; counted is
the processor time of the server and of the second validator that it starts, half of it for each direction.

Then 1,000 pairs, as ``breaking_pairs.py`` makes them of the same files, through ``babelreg breaking`` of both checkouts,
whole processes in alternating order with an empty cache: wall time, and processor time with all processes below.

``--mode strict|default`` measures one mode only, ``--runs N`` takes the median of N answers or processes,
``--only directions|breaking`` one of the two parts. Linux only: the processor time of a child that runs is read there.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import breaking_pairs
import machine

BARS = {"p50": 1.3, "p99": 1.3, "breaking": 1.0}
MODES: dict[str, dict[str, Any]] = {
    "strict": {"reader": "strict", "formats": "ignored"},
    "default": {"reader": "tolerant", "formats": "asserted"},
}
SERVED = "--serve"
FIRST_PAIRS = 20
"""Answered before the measurement, for what is imported or compiled when first needed."""


def processor_seconds() -> float:
    """Return the processor time of this process, of its children that have ended, and of those that run."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    running = 0.0
    for children in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):  # a thread or a child that has ended
            for child in children.read_text().split():
                running += time.clock_gettime((~int(child) << 3) | 2)  # as clock_getcpuclockid(3) makes it
    return time.process_time() + ended.ru_utime + ended.ru_stime + running


def serve() -> None:
    """Compare the pair of each line of the input; write the processor seconds and the verdicts."""
    try:
        from babelreg.containment import compare
    except ImportError:  # an older commit
        from babelreg.breaking import compare  # type: ignore[attr-defined,no-redef]

    for line in sys.stdin:
        case, options = json.loads(line)
        start = processor_seconds()
        verdicts = compare(case["old"], case["new"], dialect=case["draft"], **options)
        spent = processor_seconds() - start
        print(json.dumps([spent, verdicts.backward.kind, verdicts.forward.kind]), flush=True)


class Server:
    """A process that compares pairs with the code of one checkout."""

    def __init__(self, checkout: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, SERVED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(checkout)},
        )  # fmt: skip

    def ask(self, case: dict[str, Any], options: dict[str, Any]) -> tuple[float, list[str]]:
        """Return the processor seconds of one comparison, and its two verdicts."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([case, options]) + "\n")
        self._process.stdin.flush()
        seconds, *verdicts = json.loads(self._process.stdout.readline())
        return seconds, verdicts

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def directions(checkouts: list[Path], cases: list[dict[str, Any]], mode: str, runs: int) -> list[list[float]]:
    """Return by checkout the processor milliseconds per direction of each pair."""
    servers = [Server(checkout) for checkout in checkouts]
    for server, case in itertools.product(servers, cases[:FIRST_PAIRS]):
        server.ask(case, MODES[mode])
    spent: list[list[float]] = [[], []]
    for number, case in enumerate(cases):
        taken: list[list[float]] = [[], []]
        for run in range(runs):
            for at in (0, 1) if (number + run) % 2 else (1, 0):
                taken[at].append(servers[at].ask(case, MODES[mode])[0])
        for at in (0, 1):
            spent[at].append(statistics.median(taken[at]) * 500)
    for server in servers:
        server.stop()
    return spent


def row(name: str, old: float, new: float, unit: str, bar: float | None = None) -> bool:
    """Print a line of the table; return True where the bar is missed."""
    ratio = new / old
    loops = machine.beside(new / 1_000 if unit == "ms" else new, processor="CPU" in name)
    print(
        f"{name:32} {old:9.3f} {new:9.3f} {unit:3} {ratio:6.2f}x {loops}  {f'bar {bar:.1f}x' if bar else ''}",
        flush=True,
    )
    return bar is not None and ratio > bar


def compare_directions(checkouts: list[Path], cases: list[dict[str, Any]], modes: list[str], runs: int) -> bool:
    missed = False
    for mode in modes:
        old, new = map(sorted, directions(checkouts, cases, mode, runs))
        for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
            at = int(share * (len(old) - 1))
            missed |= row(f"{mode}: CPU per direction, {name}", old[at], new[at], "ms", BARS.get(name))
        row(f"{mode}: CPU per direction, mean", statistics.fmean(old), statistics.fmean(new), "ms")
    return missed


def breaking_seconds(checkout: Path, folder: Path) -> tuple[float, float]:
    """Return wall and processor seconds of ``babelreg breaking`` with an empty cache."""
    cache = folder.parent / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    environment = {**os.environ, "BABELREG_CACHE_DIR": str(cache), "PYTHONPATH": str(checkout)}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "babelreg", "breaking", "registry"]
    done = subprocess.run(command, check=False, capture_output=True, cwd=folder, env=environment)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 1:
        raise SystemExit(f"exit {done.returncode}: {(done.stdout + done.stderr)[-800:].decode()}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_a_registry(case: dict[str, Any]) -> bool:
    """Return True unless a schema has an identifier, or may refer to another file: a registry refuses both."""
    text = json.dumps([case["old"], case["new"]])
    return '"$id": ' not in text and '"$ref": "' not in text.replace('"$ref": "#/', "")


def compare_breaking(checkouts: list[Path], cases: list[dict[str, Any]], runs: int) -> bool:
    lines = [case for case in cases if breaking_pairs.in_draft7(case) and in_a_registry(case)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "repository"
        breaking_pairs.make(folder, list(itertools.islice(breaking_pairs.pairs(lines), breaking_pairs.PAIRS)))
        for checkout in checkouts:
            breaking_seconds(checkout, folder)  # compiles the code
        taken: list[list[tuple[float, float]]] = [[], []]
        for run in range(runs):
            for at in (0, 1) if run % 2 else (1, 0):
                taken[at].append(breaking_seconds(checkouts[at], folder))
    missed = False
    for part, what in enumerate(("wall", "CPU")):
        old, new = (statistics.median(seconds[part] for seconds in of) for of in taken)
        missed |= row(f"1,000 pairs by breaking, {what}", old, new, "s", BARS["breaking"])
    return missed


def main() -> int:
    """Print the table; return 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--old", required=True, type=Path, help="checkout of the earlier commit")
    parser.add_argument("--mode", choices=list(MODES))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", choices=["directions", "breaking"])
    given = parser.parse_args()
    checkouts = [given.old.resolve(), Path(__file__).resolve().parents[1]]
    cases = [json.loads(line) for file in given.files for line in file.open(encoding="utf-8")]
    print(f"{machine.described()}\n{len(cases)} pairs {'old':>21} {'new':>9}")
    missed = False
    if given.only != "breaking":
        missed |= compare_directions(checkouts, cases, [given.mode] if given.mode else list(MODES), given.runs)
    if given.only != "directions":
        missed |= compare_breaking(checkouts, cases, given.runs)
    return int(missed)


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if SERVED in sys.argv:
        serve()
    else:
        sys.exit(main())
