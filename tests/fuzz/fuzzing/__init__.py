"""A fuzzer for the whole of babelreg: hostile registries in, findings or clear errors out, nothing else."""

import sys
from pathlib import Path

# `python -m fuzzing` runs without pytest, whose conftest does this for the tests.
sys.path.append(str(Path(__file__).parents[2] / "shared"))
