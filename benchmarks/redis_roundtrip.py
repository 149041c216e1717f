"""Messages through a real broker: generated producers -> Redis -> drained files [-> Spark].

    python benchmarks/redis_roundtrip.py [--messages 100000] [--keep DIR] [--ingest]

Generates the example registry's package into a temporary folder, starts Debian's redis-server on a free loopback
port, publishes the messages' own examples in turn by their producers, drains them to files of frames and, with
``--ingest``, has ``babelreg lake ingest`` type them. Prints counts, and beside the times what the machine does.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "shared"), str(ROOT / "tests" / "runtime" / "shared")]

import machine  # noqa: E402
import recorded_files  # noqa: E402
import redis_server  # noqa: E402
from babelqueue import BabelQueue  # noqa: E402

from babelreg import load  # noqa: E402
from babelreg.gen.targets.python import target  # noqa: E402
from babelreg.gen.write import write  # noqa: E402
from babelreg.typemap.names import class_name  # noqa: E402
from babelreg.typemap.python.names import module_name  # noqa: E402

EXAMPLE = ROOT / "registry.example"


def sends(app: BabelQueue) -> list[Callable[[], Any]]:
    """One call per example of the registry: build the model, validate, encode, publish."""
    found: list[Callable[[], Any]] = []
    for message in load.registry(EXAMPLE).messages:
        if message.parsed is None or message.schema is None:
            continue
        module = importlib.import_module(f"messages.{module_name(message.parsed)}")
        name = class_name(message.parsed)
        model, producer = getattr(module, name), getattr(module, f"{name}Producer")(app, queue="all")
        for example in message.examples:
            found.append(lambda m=model, p=producer, d=example.data: p.send(m.model_validate(d)))  # type: ignore[misc]
    return found


def timed(what: str, step: Callable[[], Any], count: int) -> Any:
    """Run ``step`` and print how long it took for ``count`` messages."""
    started = time.perf_counter()
    result = step()
    seconds = time.perf_counter() - started
    print(f"{what:<12} {seconds:7.2f} s  {count / seconds:9.0f} messages/s {machine.beside(seconds)}")
    return result


def publish(app: BabelQueue, count: int) -> None:
    """Send ``count`` messages, each of the examples in turn."""
    calls: Iterator[Callable[[], Any]] = itertools.islice(itertools.cycle(sends(app)), count)
    for call in calls:
        call()


def run(count: int, folder: Path, ingest: bool) -> int:
    """The whole round; returns how many messages are not where they belong."""
    write(folder / "code", "python", target.files(load.registry(EXAMPLE), {"runtime": "vendored"}))
    sys.path.insert(0, str(folder / "code"))
    from messages import drain  # type: ignore[import-not-found]

    print(machine.described())
    with redis_server.running() as server:
        app = BabelQueue(server.url, queue="all")
        timed("publish", lambda: publish(app, count), count)
        drained = timed("drain", lambda: drain(app, folder / "recorded"), count)
    urns: Counter[str] = Counter()
    identities = set()
    for file in drained.files:
        for body in recorded_files.bodies([file]):
            envelope = json.loads(body)
            urns[envelope["job"]] += 1
            identities.add(envelope["meta"]["id"])
    print(
        f"published {count}, drained {drained.messages} ({drained.size_bytes / 1e6:.1f} MB), distinct {len(identities)}"
    )
    for urn, number in sorted(urns.items()):
        print(f"  {number:7} {urn}")
    if ingest:
        words = ["lake", "ingest", "--registry", EXAMPLE, "--input", folder / "recorded", "--lake", folder / "lake"]
        command = [sys.executable, "-m", "babelreg", *map(str, words)]
        timed("ingest", lambda: subprocess.run(command, check=True, cwd=ROOT), count)
    return abs(count - drained.messages) + abs(count - len(identities))


def main() -> None:
    """Read the arguments, run, and fail when a message is missing or there twice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, help="write into this folder and leave it")
    parser.add_argument("--ingest", action="store_true", help="ingest the drained files by Spark too")
    args = parser.parse_args()
    if redis_server.PROGRAM is None:
        sys.exit("redis-server is not on the path: apt-get install redis-server")
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(min(1, run(args.messages, args.keep or Path(temporary), args.ingest)))


if __name__ == "__main__":
    main()
