"""Wire formats, one package each. Their table is ``table.py``; a run on BabelQueue's messages does not import it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from babelreg.errors import UsageError
from babelreg.suggest import closest
from babelreg.wire.format import NATIVE

if TYPE_CHECKING:
    from babelreg.wire.format import Format

__all__ = ["find"]


def find(name: str) -> Format:
    """Return the format of that name.

    Raises UsageError when there is none.
    """
    if name == NATIVE:  # most runs need no other: a third of the modules that `validate` would import
        from babelreg.wire.formats import babelqueue

        return babelqueue
    from babelreg.wire.formats.table import FORMATS

    try:
        return FORMATS[name]
    except KeyError:
        near = closest(name.lower(), FORMATS)
        fix = f"did you mean {near}?" if near else f"use one of: {', '.join(FORMATS)}"
        raise UsageError(f"{name!r} is not a wire format", fix=fix) from None
