"""What the wire formats cost: ``python benchmarks/wire.py``.

Every figure is a ratio to a peer that is measured in turn with it: ``orjson.loads`` alone for FlowLayer and Strata,
``contract.verdict.decode`` for BabelQueue, for PHPMQ a loop that only slices by length. The bars hold for decode + validate
of valid messages of 100 to 600 bytes; ``feed`` adds the splitting of a stream. Last, 1 GiB of PHPMQ messages goes through one
decoder, and the process may not grow.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "shared"))
import machine
from wire_vectors import rows

from babelreg.contract.verdict import decode as decode_envelope
from babelreg.wire.formats import babelqueue, flowlayer, phpmq, strata
from babelreg.wire.formats.table import FORMATS

ROUNDS, REPEAT = (1, 20) if machine.QUICK else (15, 300)
GIB = 2**23 if machine.QUICK else 2**30
MEBIBYTES_OF_GROWTH = 32


def messages(name: str) -> list[bytes]:
    """The valid messages of the vectors, each made 100 to 600 bytes long with data of the usual kinds."""
    found = []
    for row in rows("vector"):
        expected = row["expected"]["events"]
        if row["format"] != name or row.get("whole"):
            continue
        for event in expected:
            if event.get("diagnostics") != [] or not event["reencodes"]:
                continue
            for size in (1, 4, 9):
                raw = orjson.dumps(_padded(event["message"], size))
                if 100 <= len(raw) <= 600:
                    found.append(raw)
    return found


def _padded(message: dict[str, Any], size: int) -> dict[str, Any]:
    lines = [{"sku": f"A-{number}", "quantity": number, "gift": False} for number in range(size)]
    member = "data" if "job" in message else "payload"
    inner = message.get(member) or {}
    return {**message, member: {**inner, "lines": lines, "note": "Grüße" * size}}


def ratio(ours: Callable[[], object], peer: Callable[[], object]) -> float:
    """How many times as long as the peer: the median of rounds in which both take turns."""
    ratios = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        peer()
        middle = time.perf_counter()
        ours()
        ratios.append((time.perf_counter() - middle) / (middle - start))
    return statistics.median(ratios)


def each(bodies: list[bytes], work: Callable[[bytes], object]) -> Callable[[], object]:
    """Do the work on every body, some times."""

    def run() -> None:
        for _ in range(REPEAT * 20 // len(bodies)):
            for body in bodies:
                work(body)

    return run


def checked(name: str) -> Callable[[bytes], object]:
    """Decode and validate one message of a format."""
    wire = FORMATS[name]
    decode, validate = wire.decode, wire.validate

    def work(body: bytes) -> None:
        if validate(decode(body)):
            raise SystemExit(f"{name}: a message is not valid")

    return work


def fed(name: str, stream: bytes) -> Callable[[], object]:
    """Decode and validate a stream in chunks of 64 KiB."""
    wire = FORMATS[name]

    def run() -> None:
        decoder, validate = wire.decoder(), wire.validate
        for at in range(0, len(stream), 65_536):
            for event in decoder.feed(stream[at : at + 65_536]):
                if validate(event.value):  # type: ignore[union-attr]
                    raise SystemExit(f"{name}: a message is not valid")

    return run


def sliced(stream: bytes) -> Callable[[], object]:
    """Slice a PHPMQ stream by its lengths and check nothing."""

    def run() -> None:
        at, end = 0, len(stream)
        while at < end:
            count = int(stream[at + 6 : at + 8])
            at += 8
            contents = []
            for _ in range(count):
                length = int(stream[at + 3 : at + 32])
                contents.append(stream[at + 32 : at + 32 + length])
                at += 32 + length

    return run


def growth() -> float:
    """Return how many MiB the process grows by while 1 GiB of PHPMQ messages goes through a decoder."""
    bodies = [phpmq.models.PacketMessage(1, b"orders", content=b"x" * size, ttl=60) for size in (300, 4_000, 70_000)]
    stream = b"".join(map(phpmq.encode, bodies)) * 30
    decoder, done, count = phpmq.decoder(), 0, 0
    before = None
    while done < GIB:
        for at in range(0, len(stream), 60_001):
            count += len(decoder.feed(stream[at : at + 60_001]))
        done += len(stream)
        if before is None and done > GIB // 50:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert count == done // len(stream) * 90
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - (before or 0)) / 1024


def main() -> int:
    """Print the table; returns 1 where a bar is missed."""
    rows: list[tuple[str, float, float | None]] = []
    for wire in (flowlayer, strata):
        bodies = messages(wire.name)
        loads = each(bodies, orjson.loads)
        rows.append((f"{wire.name} / orjson.loads", ratio(each(bodies, checked(wire.name)), loads), 3.0))
        stream = b"\n".join(bodies * 40) + b"\n"
        lines = stream.split(b"\n")[:-1]
        rows.append(
            (
                f"{wire.name} feed / orjson.loads",
                ratio(fed(wire.name, stream), lambda lines=lines: [orjson.loads(line) for line in lines]),
                None,
            )
        )  # type: ignore[misc]
    bodies = [body for body in messages("babelqueue") if not babelqueue.decode(body).warnings]
    rows.append(
        ("babelqueue / contract decode", ratio(each(bodies, checked("babelqueue")), each(bodies, decode_envelope)), 1.0)
    )
    message = phpmq.models.PacketMessage(1, b"Foo", content=b"Hello World" * 20, ttl=3600)
    stream = phpmq.encode(message) * 4_000
    rows.append(("phpmq / slicing by length", ratio(fed("phpmq", stream), sliced(stream)), 4.0))
    print(f"{'times as long as the peer':34} {'ratio':>6} {'bar':>6}")
    missed = False
    for name, value, bar in rows:
        print(f"{name:34} {value:6.2f} {bar or '':>6}")
        missed |= bar is not None and value > bar
    start = time.perf_counter()
    grown = growth()
    print(f"{'phpmq, 1 GiB: MiB of growth':34} {grown:6.1f} {MEBIBYTES_OF_GROWTH:>6}")
    print(f"{'phpmq, 1 GiB':34} {machine.beside(time.perf_counter() - start)}")
    return int(missed or grown > MEBIBYTES_OF_GROWTH)


if __name__ == "__main__":
    sys.exit(main())
