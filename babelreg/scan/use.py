"""A URN that stands in source code."""

from __future__ import annotations

from dataclasses import dataclass

from babelreg.finding import Place

__all__ = ["UrnUse"]


@dataclass(frozen=True, slots=True)
class UrnUse:
    """``urn`` is as written, at ``place``. ``role`` is produces or consumes, None where the code does not tell.

    ``allowed`` are the rules that a remark on its line says may not be reported there.
    """

    urn: str
    place: Place
    role: str | None = None
    allowed: frozenset[str] = frozenset()
