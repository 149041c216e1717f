"""Build the sdist and wheel of ``babelreg``, and the wheel of ``babelreg-runtime``, which generated code may run on.

    python tools/wheels.py [--only runtime] [--no-isolation] [--out dist]

Needs ``build`` for babelreg, which makes the wheel from the sdist, and nothing of babelreg's dependencies. The wheel of
the runtime is the one that ``babelreg runtime`` writes. Two builds of a commit give the same bytes.
With ``--no-isolation``, what builds is that of this environment instead of a new one for each archive.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from babelreg.gen.targets.python.runtime_wheel import wheel_bytes, wheel_name  # noqa: E402

__all__ = ["build"]

_EPOCH = "1580601600"
"""The time of the files in an archive: 2020-02-02, so that two builds of a commit have the same bytes."""


def build(out: Path, *, babelreg: bool = True, isolated: bool = True) -> None:
    """Build the wheel of the runtime into ``out``, and babelreg. Raises CalledProcessError if that fails."""
    out.mkdir(parents=True, exist_ok=True)
    (out / wheel_name()).write_bytes(wheel_bytes())
    if babelreg:
        options = [] if isolated else ["--no-isolation"]
        command = [sys.executable, "-m", "build", *options, "--outdir", str(out), str(ROOT)]
        env = {**os.environ, "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", _EPOCH)}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=env)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["runtime"], help="leave out babelreg")
    parser.add_argument("--no-isolation", action="store_true", help="build with the packages of this environment")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", metavar="DIR")
    arguments = parser.parse_args()
    build(arguments.out, babelreg=arguments.only is None, isolated=not arguments.no_isolation)


if __name__ == "__main__":
    main()
