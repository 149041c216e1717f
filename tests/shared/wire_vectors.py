"""The test vectors of the wire formats: ``tests/wire/vectors/<format>.jsonl``, see the page beside them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "wire" / "vectors"


def rows(kind: str) -> list[dict[str, Any]]:
    """Return the vectors of a kind; ``input`` and ``masked`` are bytes."""
    lines = (line for path in sorted(FOLDER.glob("*.jsonl")) for line in path.read_text("utf-8").split("\n") if line)
    return [_with_bytes(row) for row in map(json.loads, lines) if row["kind"] == kind]


def _with_bytes(row: dict[str, Any]) -> dict[str, Any]:
    for name in ("input", "masked"):
        if name in row:
            row[name] = row[name].encode("utf-8")
        elif f"{name}_base64" in row:
            row[name] = base64.b64decode(row.pop(f"{name}_base64"))
    return row
