"""Registries with defects: the exception, and the check that raises it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from babelreg.errors import BabelregError
from babelreg.finding import Finding, shown_folder

if TYPE_CHECKING:
    from babelreg.model import Registry


class RegistryError(BabelregError):
    """The registry has defects, and the command needs a valid one. ``findings`` are all defects."""

    def __init__(self, message: str, findings: Sequence[Finding] = (), *, fix: str | None = None) -> None:
        super().__init__(message, place=findings[0].place if findings else None, fix=fix)
        self.findings = tuple(findings)


def sound(registry: Registry) -> Registry:
    """Return the registry if it has no defects.

    Raises RegistryError with the defects.
    """
    if registry.defects:
        findings = [finding.below(shown_folder(registry.root)) for finding in registry.defects]
        raise RegistryError("the registry has defects", findings, fix="fix them; `babelreg lint` lists them")
    return registry
