"""How long ``babelreg lint`` takes, whole processes: ``python benchmarks/lint.py [RUNS] [--alone | --full | --quick]``.

Beside each time stands its ratio to a fixed CPU loop and to ``python -c pass``, since machines differ, and unless
``--alone`` is given the times of ``check-jsonschema`` (the schema of a message file against the same files) and ``yamllint``, which are
installed into an environment that goes again; with ``--full`` also for the 10,000 (minutes). Cold: babelreg's cache is
empty; the files are in the system's, and the code is compiled. Warm: the run before has judged the same files.
With ``--quick`` the registries are small and the bars mean nothing: it shows that the script works.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import machine
import registry_of

REPOSITORY = Path(__file__).parents[1]
SCHEMA = REPOSITORY / "babelreg" / "load" / "registry" / "schemas" / "message.schema.json"
SIZES = (10, 20) if machine.QUICK else (1000, 2000, 4000, 10_000)
LINT = [str(Path(sys.executable).with_name("babelreg")), "lint"]


class Bench:
    """Registries of several sizes in one folder, and a cache of their own."""

    def __init__(self, folder: Path, runs: int) -> None:
        self.folder = folder
        self.runs = runs
        self.cache = folder / "cache"
        self.environment = {**os.environ, "BABELREG_CACHE_DIR": str(self.cache)}
        for size in (100, *SIZES):
            registry_of.write(folder / str(size), size)

    def once(self, command: list[str]) -> float:
        """The milliseconds of one whole process, which must end well."""
        start = time.perf_counter()
        done = subprocess.run(command, check=False, capture_output=True, cwd=self.folder, env=self.environment)
        taken = (time.perf_counter() - start) * 1000
        if done.returncode:
            raise SystemExit(f"{command[:4]}: exit {done.returncode}: {(done.stdout + done.stderr)[-500:].decode()}")
        return taken

    def median(self, command: list[str], runs: int, before: Callable[[], None] = lambda: None) -> float:
        """The median over ``runs``; ``before`` each of them, untimed."""
        taken = []
        for _ in range(runs):
            before()
            taken.append(self.once(command))
        return statistics.median(taken)

    def cold(self, size: int) -> float:
        """With an empty cache."""
        runs = self.runs if size <= 1000 or machine.QUICK else max(3, self.runs // 3)
        return self.median(self.lint(size), runs, lambda: shutil.rmtree(self.cache, ignore_errors=True))

    def warm(self, size: int) -> float:
        """After a run that has judged the same."""
        self.once(self.lint(size))
        return self.median(self.lint(size), self.runs)

    def lint(self, size: int) -> list[str]:
        """The command for a whole registry."""
        return [*LINT, "--registry", str(self.folder / str(size))]

    def completion(self, size: int) -> list[str]:
        """The command that a shell runs at a press of TAB."""
        registry = str(self.folder / str(size))
        return [LINT[0], "completion", "fish", "--", "babelreg", "mint", "--registry", registry, "urn:"]

    def peak_mebibytes(self, size: int) -> tuple[float, float]:
        """The most that a cold run and all it starts hold at once: each process for itself, and shared pages once."""
        shutil.rmtree(self.cache, ignore_errors=True)
        running = subprocess.Popen(self.lint(size), stderr=subprocess.DEVNULL, env=self.environment)
        most = [0.0, 0.0]
        over = threading.Event()

        def watch() -> None:
            while not over.wait(0.02):
                held = [_held(pid) for pid in _family(running.pid)]
                most[0] = max(most[0], sum(rss for rss, _ in held))
                most[1] = max(most[1], sum(pss for _, pss in held))

        watcher = threading.Thread(target=watch)
        watcher.start()
        running.wait()
        over.set()
        watcher.join()
        return most[0], most[1]


def _family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children")
    try:
        below = [int(child) for child in children.read_text().split()]
    except OSError:
        return []
    return [pid, *(found for child in below for found in _family(child))]


def _held(pid: int) -> tuple[float, float]:
    """Resident and proportional memory of one process, in MiB."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0, 0.0
    said = {line.partition(":")[0]: line.split()[1] for line in lines if line.endswith("kB")}
    return int(said.get("Rss", 0)) / 1024, int(said.get("Pss", 0)) / 1024


def others(bench: Bench) -> None:
    """What two tools of the field take for the same files."""
    place = bench.folder / "others"
    venv.create(place, with_pip=True)
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "check-jsonschema", "yamllint"], check=True)
    relaxed = "{extends: relaxed, rules: {line-length: disable}}"
    for size in (1000, 10_000) if "--full" in sys.argv else (1000,):
        files = [str(p) for p in sorted((bench.folder / str(size)).glob("[!_]*/[!_]*.yaml"))]
        checked = [str(place / "bin" / "check-jsonschema"), "--schemafile", str(SCHEMA), *files]
        row(f"check-jsonschema, {size:,}", bench.median(checked, 1))
        linted = [str(place / "bin" / "yamllint"), "-d", relaxed, str(bench.folder / str(size))]
        row(f"yamllint, {size:,}", bench.median(linted, 1))


def row(name: str, value: float, bar: float | None = None, unit: str = "ms") -> None:
    """One line of the table."""
    over = "" if bar is None or value <= bar else "  over"
    ratio = machine.beside(value / 1000, start=True) if unit == "ms" else ""
    print(f"{name:36} {value:9,.0f} {unit:4} {'' if bar is None else f'{bar:,.0f}':>8}{over:6} {ratio}", flush=True)


def main() -> None:
    """Print the table."""
    numbers = [1] if machine.QUICK else [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    few, many = SIZES[0], SIZES[-1]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), numbers[0] if numbers else 9)
        print(f"{'median of ' + str(bench.runs):36} {'':9} {'':4} {'bar':>8}")
        print(machine.described())
        row(f"complete the URNs of {few:,} messages", bench.median(bench.completion(few), bench.runs), 200)
        one = next(path for path in sorted((Path(folder) / "100" / "orders").iterdir()) if path.name[0] != "_")
        row("lint one file of 100", bench.median([*LINT, "--no-cache", str(one)], bench.runs), 150)
        cold = {size: bench.cold(size) for size in SIZES}
        row(f"lint {few:,} messages, cold", cold[few], 1000)
        row(f"lint {few:,} messages, warm", bench.warm(few), 150)
        row(f"lint {many:,} messages, cold", cold[many], 8000)
        row(f"lint {many:,} messages, warm", bench.warm(many), 350)
        each, shared = bench.peak_mebibytes(many)
        row(f"memory of {many:,}, sum of processes", each, 400, "MiB")
        row("  with shared pages counted once", shared, 400, "MiB")
        print("milliseconds a message, cold:", ", ".join(f"{size:,}: {ms / size:.2f}" for size, ms in cold.items()))
        if "--alone" not in sys.argv and not machine.QUICK:
            others(bench)


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # cold is not uncompiled
    main()
