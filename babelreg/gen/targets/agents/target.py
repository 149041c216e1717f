"""A block in AGENTS.md: how a coding agent works with the registry.

Other lines of the file stay. A block that was edited is refused, so that nobody's words are lost. Where CLAUDE.md
exists, it gets the line ``@AGENTS.md``, which includes the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from babelreg.gen.hooks import RunPlace, TargetHooks
from babelreg.gen.option import REGISTRY_FOLDER
from babelreg.gen.repository_places import repository_folder, with_registry_folder

if TYPE_CHECKING:
    from babelreg.gen.target import File
    from babelreg.model import Registry

summary = "A block in AGENTS.md: how coding agents work with the registry"
options = (REGISTRY_FOLDER,)


def inputs(registry: Registry, options: Mapping[str, Any], place: RunPlace) -> Mapping[str, Any]:
    """Return the path of the registry in its repository, and whether CLAUDE.md exists."""
    return {**with_registry_folder(options, place), "claude": (place.out / "CLAUDE.md").is_file()}


hooks = TargetHooks(default_folder=repository_folder, inputs=inputs)


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
