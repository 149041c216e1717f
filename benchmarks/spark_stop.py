"""How long Ctrl-C takes: from the key until ``babelreg lake ingest`` has ended, and until its Java has.

    python benchmarks/spark_stop.py [--messages 200000] [--rounds 3]

The command runs on a terminal of its own, and the key is pressed when a certain step is shown. There is no bar in
seconds: beside the times stands that of a loop of fixed work on the same machine.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "lake" / "shared"))
import spark_messages
import terminal
from machine import beside

STEPS = (
    "reading the registry",
    "starting Java",
    "starting Java, 2 s",
    "validating",
    " messages, ",
    "finding",
    "writing",
)
INGEST = ("lake", "ingest", "--input", "in", "--lake", "out", "--registry", "registry")


def main() -> int:
    """Print the times of each step; return 1 when a run ended in another way than by the key."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory(prefix="spark-stop-") as folder:
        home = Path(folder).resolve()
        spark_messages.write_registry(home / "registry")
        spark_messages.write_input(home / "in", asked.messages, files=2)
        for step in STEPS:
            found = [_stopped(home, step) for _ in range(asked.rounds)]
            failed |= any(code != 130 for code, _, _ in found)
            ended, gone = (statistics.median(times) for times in list(zip(*found, strict=True))[1:])
            codes = sorted({code for code, _, _ in found})
            print(
                f"{step.strip(' ,'):<24} ended in {ended:.2f} s ({beside(ended).strip()}), Java in {gone:.2f} s; exit {codes}",
                flush=True,
            )
    return int(failed)


def _stopped(home: Path, step: str) -> tuple[int, float, float]:
    """The exit code, and the seconds until the command and until all its processes had ended."""
    run = terminal.Run(home, INGEST)
    run.until(step)
    began = time.monotonic()
    run.press()
    code = run.end()
    ended = time.monotonic() - began
    while terminal.processes(str(home)):
        time.sleep(0.01)
    return code, ended, time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main())
