"""``python -m fuzzing START STOP [lint]``: the cases of these numbers; a line for each wrong, and the number at hand on stderr.

It runs apart from the test, so that a case that ends the interpreter, or never ends, is known by its number.
"""

from __future__ import annotations

import faulthandler
import sys

from fuzzing import case, lint_case

HANG_SECONDS = 120


def main(start: int, stop: int, verb: str = "") -> int:
    """Run the cases, of every command or of lint alone; 1 when something went wrong."""
    failed = False
    faulthandler.enable()
    with case.bench() as bench:
        for seed in range(start, stop):
            print(f"case {seed}", file=sys.stderr, flush=True)
            faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
            for wrong in lint_case.hold(bench, seed) if verb == "lint" else bench.hold(seed):
                failed = True
                print(f"case {seed}: {wrong}", flush=True)
    faulthandler.cancel_dump_traceback_later()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]))
