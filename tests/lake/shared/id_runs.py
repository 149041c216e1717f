"""What runs of message ids know, asked for single ids."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from babelreg.lake.storage import id_run


def lookup(runs: Sequence[Path], keys: bytes) -> list[bytes | None]:
    """The content that is known for each of the keys, 16 bytes each; None for one that is in no run."""
    asked = id_run.IdRecords.of(keys, keys)
    there, content = id_run.known(runs, asked.high, asked.low)
    return [found.tobytes() if hit else None for hit, found in zip(there.tolist(), content, strict=True)]
