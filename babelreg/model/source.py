"""Source of a part of the model: maps a pointer to its line and column."""

from __future__ import annotations

from typing import Protocol

from babelreg.finding import Place
from babelreg.schema.pointer import Pointer


class Source(Protocol):
    """One file as read. ``path`` is relative to the registry folder, with forward slashes."""

    @property
    def path(self) -> str: ...

    def place(self, pointer: Pointer = (), *, key: bool = False, offset: int = 0) -> Place:
        """Return the position of the value at ``pointer``, or of its key; ``offset`` characters into its text.

        Where there is no value at ``pointer``, that of the nearest parent; so a missing key is reported at the
        mapping that lacks it.
        """
        ...

    def bare(self, pointer: Pointer | None, text: str, *, key: bool = False) -> bool:
        """Return True when ``text``, the value (or, with ``key``, the key) at ``pointer``, is written without quotes.

        Without a pointer: when it may be so anywhere in the file.
        """
        ...
