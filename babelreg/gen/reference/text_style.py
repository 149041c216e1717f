"""The style in which a target spells texts of a registry: Markdown, or plain text."""

from __future__ import annotations

from typing import Protocol


class TextStyle(Protocol):
    """Functions that return a text of a registry, inert, on one line."""

    def inline(self, text: str, /) -> str:
        """Return ``text`` for a sentence or a table cell."""
        ...

    def code(self, text: str, /) -> str:
        """Return ``text`` as inline code."""
        ...

    def strong(self, text: str, /) -> str:
        """Return ``text`` with emphasis. It is babelreg's own, not of a registry."""
        ...
