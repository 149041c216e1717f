"""The exception for a registry with defects."""

from __future__ import annotations

from collections.abc import Sequence

from babelreg.errors import BabelregError
from babelreg.finding import Finding

__all__ = ["RegistryError"]


class RegistryError(BabelregError):
    """The registry has defects, and the command needs a valid one. ``findings`` are all defects."""

    def __init__(self, message: str, findings: Sequence[Finding] = (), *, fix: str | None = None) -> None:
        super().__init__(message, place=findings[0].place if findings else None, fix=fix)
        self.findings = tuple(findings)
