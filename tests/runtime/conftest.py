from __future__ import annotations

import sys
from pathlib import Path

# Tests are imported one by one, without packages: what they share here is found by its folder.
sys.path.insert(0, str(Path(__file__).parent / "shared"))
