"""The time of ``babelreg gen``, whole process: nothing there yet, nothing changed, one message changed.

    python tests/benchmarks/generate.py [--messages 100] [--runs 3] [TARGET...]

The registry is made of ``registry.example``'s largest message under as many names. Bar: 100 messages cold <= 3 s.
Prints an empty Python and a fixed loop beside every figure.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "registry.example"


def registry(folder: Path, count: int) -> Path:
    """A registry of ``count`` messages, each with about ten properties and three nested types."""
    for name in ("_common", "_services"):
        shutil.copytree(EXAMPLE / name, folder / name)
    (folder / "orders").mkdir()
    shutil.copy(EXAMPLE / "babelreg.yaml", folder)
    shutil.copy(EXAMPLE / "orders/_context.yaml", folder / "orders")
    text = (EXAMPLE / "orders/created.v2.yaml").read_text("utf-8").split("upcast:")[0]
    text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("supersedes:"))
    for number in range(count):
        urn = f"urn:babel:orders:thing{number}.created"
        message = text.replace("urn:babel:orders:created.v2", urn)
        (folder / f"orders/thing{number}.created.yaml").write_text(message, "utf-8")
    return folder


def seconds(command: list[str]) -> float:
    """How long ``command`` takes; it must succeed."""
    started = time.perf_counter()
    subprocess.run(command, check=True, cwd=ROOT, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def loop() -> float:
    """A fixed amount of work for one core."""
    started = time.perf_counter()
    for _ in range(5_000_000):
        pass
    return time.perf_counter() - started


def report(what: str, times: list[float]) -> None:
    """One line: the least and the middle of ``times``, and the machine beside it."""
    empty = seconds([sys.executable, "-c", "pass"])
    middle = sorted(times)[len(times) // 2]
    print(f"{what:<28} min {min(times):6.2f} s  median {middle:6.2f} s", end="")
    print(f"   (python -c pass {empty * 1000:.0f} ms, 5M loop {loop():.2f} s)")


def measure(target: str, source: Path, scratch: Path, runs: int) -> None:
    """Cold, unchanged and one changed, for one target."""
    out = scratch / target
    command = [sys.executable, "-m", "babelreg", "gen", target, "--registry", str(source), "--out", str(out)]
    cold = []
    for _ in range(runs):
        shutil.rmtree(out, ignore_errors=True)
        cold.append(seconds(command))
    report(f"{target}: nothing there", cold)
    report(f"{target}: nothing changed", [seconds(command) for _ in range(runs)])
    message = source / "orders/thing0.created.yaml"
    changed = []
    for number in range(runs):
        text = message.read_text("utf-8")
        message.write_text(text.replace("description: How many", f"description: {number} How many", 1), "utf-8")
        changed.append(seconds(command))
    report(f"{target}: one changed", changed)


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", default=["python", "spark", "docs"], metavar="TARGET")
    parser.add_argument("--messages", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        scratch = Path(temporary)
        (scratch / "registry").mkdir()
        source = registry(scratch / "registry", args.messages)
        for target in args.targets:
            measure(target, source, scratch, args.runs)


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # cold is not uncompiled
    main()
