"""Cost of `babelreg impact`: ``python benchmarks/impact.py [MESSAGES]``, beside `babelreg validate` on the same file.

The registry is the example one; an edited copy changes the schema of most messages. Three figures are ratios of CPU time,
medians of interleaved rounds: judging by both registries beside judging by one, on messages whose schema is equal and on
messages whose schema is not; and the whole command beside `babelreg validate`. The peak of memory is compared for the file
and for the same one five times.

Bars: judging twice <= 1.6x of judging once, the command <= 2x of `validate`, the peak does not grow with the input.
"""

from __future__ import annotations

import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import machine  # noqa: E402

from babelreg import load  # noqa: E402
from babelreg.analysis.impact.registry_versions import RegistryVersions  # noqa: E402
from babelreg.contract import Contract  # noqa: E402
from babelreg.contract.verdict import decode  # noqa: E402

URN = "urn:babel:orders:created.v2"
EDITS = [("required: [order_id, total]", "required: [order_id, total, email]"), ("maximum: 9999", "maximum: 500")]
ROUNDS, TIMES_LARGER = 7, 5


def main(count: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        published, edited = folder / "published", folder / "edited"
        for copy in (published, edited):
            shutil.copytree(ROOT / "registry.example", copy)
        path = edited / "orders/created.v2.yaml"
        text = path.read_text("utf-8")
        for old, new in EDITS:
            text = text.replace(old, new)
        path.write_text(text, "utf-8")
        bodies = [message(number) for number in range(count)]
        judging("equal schemas", published, published, bodies)
        judging("changed schema", published, edited, bodies)
        once, larger = folder / "a.jsonl", folder / "b.jsonl"
        once.write_bytes(b"\n".join(bodies) + b"\n")
        larger.write_bytes(once.read_bytes() * TIMES_LARGER)
        commands(published, edited, once)
        memory(published, edited, once, larger)
    return 0


def message(number: int) -> bytes:
    chance = random.Random(number)
    data = {
        "order_id": number + 1,
        "total": {"minor": chance.randrange(100_000), "currency": chance.choice(["EUR", "USD", "SEK"])},
        "lines": [{"sku": f"TEA-{chance.randrange(900)}", "qty": chance.randrange(1, 5)}],
        "placed_at": "2026-11-20T08:00:01Z",
        **({"email": f"p{number}@example.com"} if chance.random() < 0.95 else {}),
    }
    meta = {"id": f"m-{number}", "queue": "orders", "lang": "php", "schema_version": 1}
    meta["created_at"] = 1_795_737_600_000 + number
    return json.dumps({"job": URN, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}).encode()


def judging(title: str, published: Path, edited: Path, bodies: list[bytes]) -> None:
    """Print the CPU of decoding and judging by both registries, relative to one."""
    before, after = load.registry(published), load.registry(edited)
    versions, contract = RegistryVersions(before, after), Contract(before.schemas)

    def once() -> None:
        for body in bodies:
            contract.verdict(body)

    def twice() -> None:
        for body in bodies:
            versions.judge(decode(body))

    ratio = interleaved(twice, once)
    print(f"judging by both registries, {title}: {ratio:.2f}x of judging by one (bar 1.6)")


def interleaved(one: Callable[[], None], other: Callable[[], None]) -> float:
    one(), other()
    ratios = []
    for _ in range(ROUNDS):
        started = time.process_time()
        one()
        between = time.process_time()
        other()
        ratios.append((between - started) / (time.process_time() - between))
    return median(ratios)


def commands(published: Path, edited: Path, messages: Path) -> None:
    impact = ("impact", messages, "--registry", edited, "--against", published, "--format", "json")
    validate = ("validate", messages, "--registry", published)
    ratios = [cpu(impact) / cpu(validate) for _ in range(ROUNDS)]
    seconds = cpu(impact)
    print(
        f"babelreg impact: {median(ratios):.2f}x of babelreg validate (bar 2); "
        f"{seconds:.2f} CPU s {machine.beside(seconds, processor=True)}"
    )


def cpu(arguments: tuple[object, ...]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(arguments: tuple[object, ...]) -> None:
    command = [sys.executable, "-m", "babelreg", *map(str, arguments)]
    subprocess.run(command, cwd=ROOT, check=False, capture_output=True)


def memory(published: Path, edited: Path, once: Path, larger: Path) -> None:
    peaks = [peak(published, edited, path) for path in (once, larger)]
    print(f"peak of memory: {peaks[0]} MB, with {TIMES_LARGER} times the messages {peaks[1]} MB")


def peak(published: Path, edited: Path, messages: Path) -> int:
    """Return the peak of one process that reads everything, in MB."""
    script = (
        "import resource, sys; from babelreg.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)"
    )
    options = ["--registry", str(edited), "--against", str(published), "--output", "/dev/null"]
    command = [sys.executable, "-c", script, "impact", str(messages), *options]
    result = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    return int(result.stderr.split()[-1])


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 40_000))
