"""Who may work beside the one that reads a large registry, to save it time."""

from __future__ import annotations

from typing import Any, Protocol

from babelreg.model import Message

__all__ = ["Beside"]


class Beside(Protocol):
    """Told of what is read, and asked first. What it says is what would have been read without it."""

    def read(self, path: str, text: str) -> Any:
        """The value of ``text``, which stands at ``path``; raises Defect where ``yaml.read`` does."""

    def take(self, message: Message) -> None:
        """Each message, as soon as it is read."""
