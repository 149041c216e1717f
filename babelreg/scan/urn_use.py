"""Use of a URN in source code."""

from __future__ import annotations

from dataclasses import dataclass

from babelreg.finding import Place


@dataclass(frozen=True, slots=True)
class UrnUse:
    """A ``urn`` as written, at ``place``. ``role`` is produces or consumes, None where the code does not show it.

    ``queue`` is the one that the call names, if any. ``allowed`` are the rules that a comment on its line waives.
    """

    urn: str
    place: Place
    role: str | None = None
    allowed: frozenset[str] = frozenset()
    queue: str | None = None
