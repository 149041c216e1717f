"""The commands that a finding or a note offers, to be pasted where this one was run."""

from __future__ import annotations

import shlex

from babelreg.model import Registry

__all__ = ["minting"]


def minting(registry: Registry, what: str) -> str:
    """``babelreg mint WHAT``, with the registry where it would not be found."""
    root = registry.root
    found = root in ("", ".") or root.startswith("..")
    return f"babelreg mint {what}" + ("" if found else f" --registry {shlex.quote(root)}")
