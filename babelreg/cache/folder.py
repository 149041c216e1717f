"""Folder of babelreg's cache."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def cache_folder(part: str, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the folder of ``part``: in BABELREG_CACHE_DIR, else below XDG_CACHE_HOME or ~/.cache; None without a home.

    Source: XDG Base Directory Specification: a path that is not absolute is to be ignored.
    """
    own = environment.get("BABELREG_CACHE_DIR")
    if own:
        return Path(own) / part
    base = Path(environment.get("XDG_CACHE_HOME", ""))
    if not base.is_absolute():
        try:
            base = Path(environment.get("HOME") or Path.home()) / ".cache"
        except RuntimeError:
            return None
    return base / "babelreg" / part
