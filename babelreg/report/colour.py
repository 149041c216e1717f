"""Whether to colour: only on a terminal, unless the user says otherwise."""

from __future__ import annotations

import os
from typing import TextIO

__all__ = ["colour_wanted"]


def colour_wanted(stream: TextIO | None) -> bool:
    """True when ``stream`` (None: closed) should get colours. NO_COLOR wins over FORCE_COLOR, both over what it is.

    Source: no-color.org and force-color.org: set and not empty counts, whatever the value.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
