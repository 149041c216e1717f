from __future__ import annotations

import sys
from pathlib import Path

# Recorded messages come from the broker runs of the runtime's tests: they are shared, not written twice.
sys.path.insert(0, str(Path(__file__).parents[1] / "runtime" / "shared"))
