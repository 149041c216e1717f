"""A block in AGENTS.md: how a coding agent works with the registry.

Other lines of the file stay. A block that was edited is refused, so that nobody's words are lost. Where CLAUDE.md
exists, it gets the line ``@AGENTS.md``, which includes the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from babelreg.gen.option import REGISTRY_FOLDER

if TYPE_CHECKING:
    from babelreg.gen.target import File
    from babelreg.model import Registry

__all__ = ["files", "options", "own_folder", "summary", "unsupported"]

summary = "A block in AGENTS.md: how coding agents work with the registry"
options = (REGISTRY_FOLDER,)
unsupported = None


def own_folder(options: Mapping[str, Any]) -> str:
    """Return "": the files lie in the output folder itself."""
    return ""


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the block, and the line in CLAUDE.md where ``options`` have ``claude``, as the file exists."""
    from babelreg.gen.block import with_guarded_block, with_line
    from babelreg.gen.target import File
    from babelreg.gen.targets.agents.block import block

    folder = REGISTRY_FOLDER.value(options, "agents")
    text = block("" if folder is None else str(folder))
    yield File("AGENTS.md", text, edit=lambda old: with_guarded_block("AGENTS.md", old, text))
    if options.get("claude"):
        yield File("CLAUDE.md", "@AGENTS.md\n", edit=lambda old: with_line(old, "@AGENTS.md"))
