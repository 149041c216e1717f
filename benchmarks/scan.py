"""How long ``babelreg scan`` takes: 10,000 files of 5 KB in six languages, one in ten with a URN.

    python benchmarks/scan.py [FILES] [RUNS]

Once in a plain folder and once in a git repository, beside what starting Python costs. Prints wall time and the time of
the processor of every run. Bar: a few seconds.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine

ROOT = Path(__file__).parents[1]
FILE_BYTES = 5_000
LINES = {
    "py": '    value = compute("some text here", other)  # a note\n',
    "php": "        $value = $this->compute('some text here', $other); // a note\n",
    "go": '\tvalue := compute("some text here", other) // a note\n',
    "java": '        String value = compute("some text here", other); /* a note */\n',
    "cs": '        var value = Compute("some text here", other);\n',
    "ts": "  const value = compute(`some ${text} here`, other);\n",
}


def write(folder: Path, files: int) -> None:
    """``files`` source files below ``folder``."""
    for number in range(files):
        suffix, line = list(LINES.items())[number % len(LINES)]
        text = line * (FILE_BYTES // len(line))
        if number % 10 == 0:
            text += 'publish("urn:babel:orders:created.v2", x)\n'
        path = folder / f"m{number % 100}" / f"f{number}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def seconds(command: list[str], folder: Path) -> tuple[float, float]:
    """Wall time and processor time of one run."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(files: int, runs: int) -> None:
    """Measures and prints."""
    scan = [sys.executable, "-m", "babelreg", "scan", "src", "--registry", str(ROOT / "registry.example")]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write(folder / "src", files)
        print(machine.described())
        report("in a folder", [seconds(scan, folder) for _ in range(runs)])
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        report("in a repository", [seconds(scan, folder) for _ in range(runs)])


def report(what: str, times: list[tuple[float, float]]) -> None:
    """One line a case."""
    ratio = machine.beside(sorted(wall for wall, _ in times)[len(times) // 2], start=True)
    print(
        f"{what:16}", "  ".join(f"{wall:6.2f} s (processor {used:5.2f} s)" for wall, used in times), ratio, flush=True
    )


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:3]]
    main(*(given + [10_000, 3][len(given) :]))
