"""A position in a file, as findings and errors name it."""

from __future__ import annotations

from typing import Any, NamedTuple


class Place(NamedTuple):
    """A position a person can open: a path as they would type it, line and column counted from 1.

    Columns count characters, not bytes. Line 0 means the file as a whole (it is missing, or not text).
    """

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path

    def as_json(self) -> dict[str, Any]:
        """Return ``{"path", "line", "column"}``."""
        return {"path": self.path, "line": self.line, "column": self.column}
