"""The wire formats, by the name that ``--wire`` takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from babelreg.errors import UsageError
from babelreg.suggest import closest
from babelreg.wire.formats import babelqueue, cloudevents, flowlayer, phpmq, plain_json, strata

if TYPE_CHECKING:
    from babelreg.wire.format import Format

__all__ = ["FORMATS", "find"]

FORMATS: dict[str, Format] = {
    "babelqueue": babelqueue,
    "flowlayer": flowlayer,
    "phpmq": phpmq,
    "strata": strata,
    "cloudevents": cloudevents,
    "json": plain_json,
}


def find(name: str) -> Format:
    """Return the format of that name.

    Raises UsageError when there is none.
    """
    try:
        return FORMATS[name]
    except KeyError:
        near = closest(name.lower(), FORMATS)
        fix = f"did you mean {near}?" if near else f"take one of: {', '.join(FORMATS)}"
        raise UsageError(f"{name!r} is not a wire format", fix=fix) from None
