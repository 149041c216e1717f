"""Puts the fuzzer's own modules on the path: ``from fuzzing import mutate``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
