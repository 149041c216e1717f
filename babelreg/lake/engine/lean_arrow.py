"""Import of Arrow without pandas, for processes that are ours: the command and the workers.

Arrow imports pandas, where that is installed, as soon as it is given a list: half of the processor time of a run of 50
messages (measured). It looks for pandas once only.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType


class _NoPandas:
    """Finder of modules that finds no pandas."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name=name)


def import_arrow() -> None:
    """Import Arrow and let it find no pandas, which can still be imported by others. Raises ImportError."""
    import pyarrow as pa

    if "pandas" in sys.modules:
        return
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(finder)
