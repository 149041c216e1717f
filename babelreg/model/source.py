"""Where a piece of the model was read: the way back from a value to its line and column."""

from __future__ import annotations

from typing import Protocol

from babelreg.finding import Place
from babelreg.schema.pointer import Pointer

__all__ = ["Source"]


class Source(Protocol):
    """One file as read. ``path`` is relative to the registry folder, with forward slashes."""

    @property
    def path(self) -> str: ...

    def place(self, pointer: Pointer = (), *, key: bool = False, offset: int = 0) -> Place:
        """The position of the value at ``pointer``, or of its key; ``offset`` characters into its text.

        Where nothing stands at ``pointer``, the nearest parent's; so a missing key is reported at the mapping
        that lacks it.
        """
        ...

    def bare(self, pointer: Pointer | None, text: str, *, key: bool = False) -> bool:
        """True when ``text``, the value (or, with ``key``, the key) at ``pointer``, stands there without quotes.

        Without a pointer: when it may stand so anywhere in the file.
        """
        ...
