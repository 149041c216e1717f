"""The time of ``babelreg gen``, whole process, and of the package it writes.

    python benchmarks/generate.py [--messages 1000] [--used 200] [--runs 3] [TARGET...]

Per target: nothing there yet and nothing kept, nothing changed, one message changed, ``--check`` as in a fresh clone
(nothing kept between runs), ``--check`` with one message changed. For python also: the import of a package of 200
messages, and the use of all of them. Prints the ratio to a fixed loop beside every figure, and processor time
beside the time on the clock, which is what counts on a machine that does other things, too.

Bars for python: 1,000 messages cold <= 9 s, unchanged <= 0.3 s, one changed <= 0.8 s; import of 200 <= 0.1 s, all used
<= 1.0 s; where the loop takes about 0.1 s of the processor. typescript, go and php, 1,000 messages cold: <= 0.5 times the
processor time of python, which is printed where python is measured, too.
"""

from __future__ import annotations

import argparse
import itertools
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(Path(__file__).parent))

import machine  # noqa: E402
import registry_of  # noqa: E402

USE = """
import json, sys, time
examples = json.load(open("examples.json"))
started = time.process_time()
import messages
imported = time.process_time()
producers = [getattr(messages, name) for name in messages.__all__ if name.endswith("Producer") and name != "AsyncProducer"]
assert len(producers) == len(examples)
for producer in producers:
    message = producer.message
    data = examples[message.urn]
    assert message.dump(message.parse(data)) == data
used = time.process_time()
print(imported - started, used - started)
"""


class Seconds(NamedTuple):
    """On the clock, and on the processor."""

    clock: float
    processor: float


def seconds(command: list[str], cache: Path, codes: tuple[int, ...] = (0,)) -> Seconds:
    """How long ``command`` takes; it must end with one of ``codes``."""
    env = {**os.environ, "BABELREG_CACHE_DIR": str(cache)}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, check=False, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    clock, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in codes, (command, done.returncode)
    return Seconds(clock, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def report(what: str, times: list[Seconds]) -> None:
    """One line: the least and the middle of ``times``, and the ratio of the middle to a fixed loop beside it."""
    clocks, processors = sorted(one.clock for one in times), sorted(one.processor for one in times)
    middle = len(times) // 2
    print(
        f"{what:<34} clock {clocks[0]:6.2f} {clocks[middle]:6.2f} s  cpu {processors[0]:6.2f} {processors[middle]:6.2f} s",
        end="",
    )
    print(f"  {machine.beside(processors[middle], processor=True)} of cpu", flush=True)


class Change:
    """One message of a registry, changed anew by each call."""

    def __init__(self, source: Path) -> None:
        self._numbers = itertools.count()
        self._message = next(path for path in sorted(source.glob("orders/*.yaml")) if path.name[0] != "_")
        self._text = self._message.read_text("utf-8")

    def __call__(self) -> None:
        added = f"    state: {{type: string, maxLength: {next(self._numbers) + 1}}}\n    was_state:"
        self._message.write_text(self._text.replace("    state:", added, 1), "utf-8")


def measure(target: str, source: Path, change: Change, scratch: Path, runs: int) -> float:
    """One target, on a registry that is written already; returns the middle processor time of a cold run."""
    out, cache = scratch / target, scratch / "cache"
    command = [sys.executable, "-m", "babelreg", "gen", target, "--registry", str(source), "--out", str(out)]

    def fresh(*paths: Path) -> None:
        for path in paths:
            shutil.rmtree(path, ignore_errors=True)

    def timed(
        what: str, *more: str, before: tuple[Path, ...] = (), edit: bool = False, codes: tuple[int, ...] = (0,)
    ) -> float:
        times = []
        for _ in range(runs):
            fresh(*before)
            if edit:
                change()
            times.append(seconds([*command, *more], cache, codes))
        report(f"{target}: {what}", times)
        return sorted(each.processor for each in times)[len(times) // 2]

    cold = timed("nothing there", before=(out, cache))
    timed("nothing changed")
    timed("one changed", edit=True)
    timed("--check, fresh clone", "--check", before=(cache,))
    timed("--check, one changed", "--check", edit=True, codes=(1,))
    return cold


def use(source: Path, scratch: Path, runs: int) -> None:
    """The import of the package, and of a use of each message."""
    import json

    from babelreg import load

    out, cache = scratch / "used", scratch / "cache"
    seconds(
        [
            sys.executable,
            "-m",
            "babelreg",
            "gen",
            "python",
            "--runtime",
            "vendored",
            "--registry",
            str(source),
            "--out",
            str(out),
        ],
        cache,
    )
    examples = {message.urn: message.examples[0].data for message in load.registry(source).messages}
    (out / "examples.json").write_text(json.dumps(examples), "utf-8")
    (out / "use.py").write_text(USE, "utf-8")
    imports, uses = [], []
    for run in range(runs + 1):  # the first one compiles
        said = subprocess.run([sys.executable, "use.py"], cwd=out, check=True, capture_output=True, text=True).stdout
        imported, used = map(float, said.split())
        if run:
            imports.append(Seconds(imported, imported))
            uses.append(Seconds(used, used))
    report(f"import of {len(examples)} messages", imports)
    report(f"use of {len(examples)} messages", uses)


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "targets", nargs="*", default=["python", "typescript", "go", "php", "spark", "docs"], metavar="TARGET"
    )
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--used", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        scratch = Path(temporary)
        source, few = scratch / "registry", scratch / "few"
        registry_of.write(source, args.messages)
        change = Change(source)
        cold = {target: measure(target, source, change, scratch, args.runs) for target in args.targets}
        for target in [name for name in ("typescript", "go", "php") if {"python", name} <= cold.keys()]:
            print(f"{target}: nothing there, cpu {cold[target] / cold['python']:.2f} of python's")
        if "python" in args.targets:
            registry_of.write(few, args.used)
            use(few, scratch, args.runs)


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # cold is not uncompiled
    main()
