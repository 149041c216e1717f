"""How long ``babelreg lint`` takes, whole processes: ``python tests/benchmarks/lint.py [RUNS]``.

Beside each time stand those of ``python -c pass`` and of a fixed CPU loop, since machines differ. Nothing is cached
between runs; the files are in the disk cache.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import registry_of

LOOP = "t = 0\nfor i in range(3_000_000):\n    t += i * i % 7"
SIZES = (100, 1000)


def milliseconds(command: list[str], runs: int) -> float:
    """The median over ``runs`` of one whole process."""
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, cwd=Path(__file__).parents[2])
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


def main() -> None:
    """Print the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    lint = [sys.executable, "-m", "babelreg", "lint"]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for size in SIZES:
            registry_of.write(root / str(size), size)
        one = next(path for path in sorted((root / "100" / "orders").iterdir()) if not path.name.startswith("_"))
        rows = {
            "python -c pass": ([sys.executable, "-c", "pass"], ""),
            "fixed CPU loop": ([sys.executable, "-c", LOOP], ""),
            "lint one file of 100": ([*lint, str(one)], "200"),
            "lint 100 messages": ([*lint, "--registry", str(root / "100")], ""),
            "lint 1,000 messages": ([*lint, "--registry", str(root / "1000")], "1500"),
        }
        print(f"{'median of ' + str(runs):24} {'ms':>8} {'bar':>8}")
        for name, (command, bar) in rows.items():
            print(f"{name:24} {milliseconds(command, runs):8.0f} {bar:>8}")


if __name__ == "__main__":
    main()
