"""Whether to colour: only on a terminal, unless the user says otherwise."""

from __future__ import annotations

import os
from typing import TextIO

__all__ = ["colour_wanted"]


def colour_wanted(stream: TextIO | None, said: str = "auto") -> bool:
    """True when ``stream`` (None: closed) should get colours.

    NO_COLOR wins over all, then what was ``said`` (always, never), then FORCE_COLOR, then what the stream is.
    Source: no-color.org and force-color.org: set and not empty counts, whatever the value.
    """
    if os.environ.get("NO_COLOR") or said == "never":
        return False
    if os.environ.get("FORCE_COLOR") or said == "always":
        return True
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
