"""Decision whether output is coloured: on a terminal only, unless the user overrides it."""

from __future__ import annotations

import os
from typing import TextIO


def colour_wanted(stream: TextIO | None, choice: str = "auto") -> bool:
    """Return True when output to ``stream`` (None: closed) should be coloured.

    In order of precedence: NO_COLOR, ``choice`` (always, never, auto), FORCE_COLOR, then whether ``stream`` is a
    terminal. Source: no-color.org and force-color.org: a variable counts when it is set and not empty.
    """
    if os.environ.get("NO_COLOR") or choice == "never":
        return False
    if os.environ.get("FORCE_COLOR") or choice == "always":
        return True
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
