"""What a verdict on hard schemas costs at most: ``python tests/benchmarks/adversarial.py [FAMILY...] [--reader strict]``.

Every family of ``adversarial_families.py`` grows; each size is one comparison in a process of its own. Counted is the
processor time of that process and of the prover processes that it starts, for both directions, and the largest memory
of the two. The bar: 5 seconds and 1 GiB for a direction.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys

import machine
from adversarial_families import FAMILIES, SIZES, USUAL

MOST_SECONDS = 10.0
MOST_MEBIBYTES = 1024
HANG_SECONDS = 900


def measure(name: str, size: int, reader: str) -> None:
    """Compare one pair and print what it cost as JSON."""
    from babelreg.breaking import compare
    from babelreg.breaking.containment.prover import prover

    old, new = FAMILIES[name](size)
    before = resource.getrusage(resource.RUSAGE_SELF)
    verdicts = compare(old, new, reader=reader, formats="asserted", dialect="draft2020-12")  # type: ignore[arg-type]
    own = resource.getrusage(resource.RUSAGE_SELF)
    prover().stop()
    child = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = own.ru_utime + own.ru_stime - before.ru_utime - before.ru_stime
    print(
        json.dumps(
            {
                "parent": spent,
                "child": child.ru_utime + child.ru_stime,
                "mebibytes": (own.ru_maxrss + child.ru_maxrss) >> 10,
                "kinds": [verdicts.backward.kind, verdicts.forward.kind],
            }
        )
    )


def main(arguments: list[str]) -> int:
    """Print a line for each size; return 1 where one is over the bar."""
    reader = "strict" if "--reader" in arguments else "tolerant"
    chosen = [name for name in arguments if name in FAMILIES] or list(FAMILIES)
    print(machine.described())
    over = pairs = 0
    taken: list[float] = []
    for name in chosen:
        for size in SIZES.get(name, USUAL):
            command = [sys.executable, __file__, "--one", name, str(size), reader]
            pairs += 1
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_SECONDS, check=True)
                cost = json.loads(done.stdout)
            except (subprocess.SubprocessError, ValueError) as err:
                print(f"{name:24} {size:6} {type(err).__name__}", flush=True)
                over += 1
                continue
            seconds = cost["parent"] + cost["child"]
            taken.append(seconds)
            bad = seconds > MOST_SECONDS or cost["mebibytes"] > MOST_MEBIBYTES
            over += bad
            print(
                f"{name:24} {size:6} {cost['parent']:7.2f} + {cost['child']:6.2f} s {cost['mebibytes']:5} MiB"
                f" {machine.beside(seconds, processor=True)}  {' '.join(cost['kinds'])}{'  OVER' if bad else ''}",
                flush=True,
            )
    ranks = [sorted(taken)[int(share * (len(taken) - 1))] for share in (0.5, 0.95, 1)] if taken else []
    print("processor seconds of two directions, p50, p95 and largest:", *(f"{seconds:.2f}" for seconds in ranks))
    print(f"{pairs} pairs, {over} over {MOST_SECONDS:g} s for two directions or {MOST_MEBIBYTES} MiB")
    return int(over > 0)


if __name__ == "__main__":
    if "--one" in sys.argv:
        measure(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        sys.exit(main(sys.argv[1:]))
