"""Defects of ``wires:`` in ``babelreg.yaml``, for the rules about them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from babelreg.lint.scope import Scope
from babelreg.model import Source

if TYPE_CHECKING:
    from babelreg.wire.mapping_check import MappingDefect


def mapping_defects(scope: Scope, code: str) -> Iterator[tuple[Source, MappingDefect, str]]:
    """Yield the defects of one code, each with the settings file and the mapped URN.

    The shape of the block is that of the file's JSON Schema, so it has no other defects.
    """
    settings = scope.registry.settings
    if settings.source is None or not settings.wires.blocks:
        return
    from babelreg.wire.mapping_check import check  # all wire formats: a fifth of the modules of a lint

    for name, block in settings.wires.blocks.items():
        for defect in check(name, block, scope.registry.by_urn):
            if defect.code == code:
                yield settings.source, defect, _urn(block, defect.path)


def place_of(defect: MappingDefect) -> tuple[str, ...]:
    """Return the pointer of the entry in the settings file."""
    return ("wires", *defect.path)


def _urn(block: object, path: tuple[str, ...]) -> str:
    for step in path[1:]:
        block = block[step]  # type: ignore[index]
    return str(block)
