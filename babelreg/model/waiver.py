"""Accepted findings: a :class:`Remark` in a file, and the :class:`Waiver` that it may declare."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from babelreg.finding import Place
from babelreg.model.source import Source
from babelreg.schema.pointer import Pointer

_PLACEHOLDERS = frozenset({"todo", "fixme", "tbd", "xxx"})
_ECHOES = frozenset({"reason", "why"})


class Remark(NamedTuple):
    """A comment for babelreg. It is the ``Source`` of findings about itself.

    ``text`` is the rest after ``babelreg:``. ``about`` is the line it refers to: its own after a value, else the
    next line that is not a comment; 0 where there is none.
    """

    path: str
    line: int
    column: int
    text: str
    about: int

    def place(self, pointer: Pointer = (), *, key: bool = False, offset: int = 0) -> Place:
        """Return the comment itself, whatever is asked for."""
        return Place(self.path, self.line, self.column)

    def bare(self, pointer: Pointer | None, text: str, *, key: bool = False) -> bool:
        """Return False: a comment holds no values."""
        return False


class Waiver(NamedTuple):
    """Accepts the findings of one rule in the file ``path``: on ``line``, or at ``pointer``, or anywhere in it.

    ``expires`` is the last day on which it holds. It is declared at ``at`` in ``source``; ``urn`` is the message it
    names, where it names one and not a path.
    """

    rule: str
    path: str
    reason: str
    source: Source
    at: Pointer = ()
    line: int | None = None
    pointer: str | None = None
    urn: str | None = None
    expires: date | None = None

    def holds(self, today: date) -> bool:
        """Return False when it has expired."""
        return self.expires is None or today <= self.expires


def without_reason(rule: str, reason: str) -> str | None:
    """Return what is wrong with the ``reason`` of a waiver of ``rule``, else None."""
    words = re.findall(r"\w+", reason.casefold())
    if not words:
        return f"the waiver of '{rule}' has no reason"
    if words[0] in _PLACEHOLDERS or (len(words) == 1 and words[0] in _ECHOES):
        return f"'{reason}' is a placeholder, not a reason"
    return None
