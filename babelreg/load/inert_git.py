"""Settings under which git runs nothing that the settings of a repository name, for every command that we give it."""

from __future__ import annotations

__all__ = ["INERT"]

INERT = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.alternateRefsCommand=",
    "core.quotePath=false",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "transfer.bundleURI=false",
    "gc.auto=0",
    "maintenance.auto=false",
)
"""``git -c`` arguments. Who uses them adds ``--no-pager``, and asks for no filter and no external diff."""
