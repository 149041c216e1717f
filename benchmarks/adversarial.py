"""What a verdict on hard schemas costs at most: ``python benchmarks/adversarial.py [FAMILY...] [--reader strict]``.

Every family of ``adversarial_families.py`` grows; each size is one comparison in a process of its own. Counted is, for
each direction by itself, the processor time of that process and of the second validators that it starts, and the largest
memory of the two. The bar: 5 seconds and 1 GiB for a direction. What both directions need, such as the views, counts for
the first one. Fixed loops are measured once for a family.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys

import machine
from adversarial_families import FAMILIES, SIZES, USUAL

MOST_SECONDS = 5.0
MOST_MEBIBYTES = 1024
HANG_SECONDS = 900


def processor_seconds() -> float:
    """Return the processor time of this process and of those that it started and that have ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def measure(name: str, size: int, reader: str) -> None:
    """Compare one pair and print what it cost as JSON."""
    from babelreg.containment.schema_pair import SchemaPair
    from babelreg.containment.second_validator import second_validator
    from babelreg.errors import SchemaError
    from babelreg.schema.dialects import DIALECTS

    old, new = FAMILIES[name](size)
    pair = SchemaPair(old, new, DIALECTS["draft2020-12"], reader=reader, formats=True)  # type: ignore[arg-type]
    seconds, kinds = [], []
    for direction in ("backward", "forward"):
        before = processor_seconds()
        try:
            kinds.append("compatible" if pair.same else pair.containment(direction).verdict().kind)
        except SchemaError:
            kinds.append("unknown")
        second_validator().stop()
        seconds.append(processor_seconds() - before)
    peaks = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps({"seconds": seconds, "mebibytes": sum(peaks) >> 10, "kinds": kinds}))


def measured(name: str, size: int, reader: str) -> dict[str, object] | None:
    """Return what one pair costs, measured in a process of its own; None where it does not end in time."""
    command = [sys.executable, __file__, "--one", name, str(size), reader]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_SECONDS, check=True)
        return dict(json.loads(done.stdout))
    except (subprocess.SubprocessError, ValueError) as err:
        print(f"{name:24} {size:6} {type(err).__name__}", flush=True)
        return None


def main(arguments: list[str]) -> int:
    """Print a line for each size; return 1 where one is over the bar."""
    reader = arguments[arguments.index("--reader") + 1] if "--reader" in arguments else "tolerant"
    chosen = [name for name in arguments if name in FAMILIES] or list(FAMILIES)
    print(machine.described())
    over = pairs = 0
    taken: list[float] = []
    for name in chosen:
        loop = machine.loop_seconds(processor=True)
        for size in SIZES.get(name, USUAL):
            pairs += 1
            cost = measured(name, size, reader)
            if cost is None:
                over += 1
                continue
            seconds, mebibytes = cost["seconds"], cost["mebibytes"]
            assert isinstance(seconds, list)
            assert isinstance(mebibytes, int)
            taken += seconds
            bad = max(seconds) > MOST_SECONDS or mebibytes > MOST_MEBIBYTES
            over += bad
            each = " ".join(f"{one:6.2f}" for one in seconds)
            loops = max(seconds) / loop
            kinds = " ".join(cost["kinds"])  # type: ignore[arg-type]
            print(
                f"{name:24} {size:6} {each} s {mebibytes:5} MiB {loops:6.1f} loops {kinds}{'  OVER' if bad else ''}",
                flush=True,
            )
    ranks = [sorted(taken)[int(share * (len(taken) - 1))] for share in (0.5, 0.95, 1)] if taken else []
    now = machine.beside(max(taken, default=0.0), processor=True)
    print("processor seconds of a direction, p50, p95 and largest:", *(f"{seconds:.2f}" for seconds in ranks), now)
    print(f"{pairs} pairs, {over} over {MOST_SECONDS:g} s for a direction or {MOST_MEBIBYTES} MiB")
    return int(over > 0)


if __name__ == "__main__":
    if "--one" in sys.argv:
        measure(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        sys.exit(main(sys.argv[1:]))
