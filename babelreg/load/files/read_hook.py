"""The hook that reads YAML in place of the parser."""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["ReadHook"]


class ReadHook(Protocol):
    """A reader that may know a value without parsing its text."""

    def read(self, path: str, text: str) -> Any:
        """Return the value of ``text``, which is the file ``path``. Raises Defect where the parser does."""
