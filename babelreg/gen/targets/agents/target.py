"""A block in AGENTS.md: how a coding agent works with the registry.

Other lines of the file stay. A block that was edited is refused, so that nobody's words are lost. Where CLAUDE.md
exists, it gets the line ``@AGENTS.md``, which includes the file.
"""

from __future__ import annotations

import shlex
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

# At most 400 tokens, because every session of an agent reads it.
_TEXT = """\
## Message contracts

`{folder}` is the babelreg registry: the URN and the JSON Schema of the data of each message. {option}

- `babelreg search WORD` finds messages and fields, `babelreg show URN` prints one message.
- `babelreg lint` after each edit. `babelreg lint --fix` applies fixes that are safe.
- `babelreg breaking --format json` after each edit of a schema: an error means that a consumer or producer breaks.
- `babelreg mint URN` writes the next version (`.v2`) of a message.
- `babelreg gen TARGET --check` lists generated files that are outdated.

Rules:

- Never edit a published version: changes go into the one that `mint` writes. Only an addition for which `breaking`
  reports nothing may stay.
- Each finding has `rule`, `path`, `line`, `message` and `fix`. Do what `fix` says; `babelreg explain RULE` says why.
- Never edit generated files, and never silence a finding unless asked to.
"""


def inputs(registry: Registry, options: Mapping[str, Any], place: RunPlace) -> Mapping[str, Any]:
    """Return the path of the registry in its repository, and whether CLAUDE.md exists."""
    return {**with_registry_folder(options, place), "claude": (place.out / "CLAUDE.md").is_file()}


hooks = TargetHooks(default_folder=repository_folder, inputs=inputs)


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the block, and the line in CLAUDE.md where ``options`` have ``claude``, as the file exists."""
    from babelreg.gen.block import with_guarded_block, with_line
    from babelreg.gen.target import File

    folder = REGISTRY_FOLDER.value(options, "agents")
    text = block("" if folder is None else str(folder))
    yield File("AGENTS.md", text, edit=lambda old: with_guarded_block("AGENTS.md", old, text))
    if options.get("claude"):
        yield File("CLAUDE.md", "@AGENTS.md\n", edit=lambda old: with_line(old, "@AGENTS.md"))


def block(folder: str) -> str:
    """Return the block with its marker lines; ``folder`` is the path of the registry in its repository."""
    from babelreg.gen.block import guarded

    path = folder.strip("/. ")
    nested = path.count("/") > 0
    option = (
        f"Pass `--registry {shlex.quote(path)}` to each command."
        if nested
        else "Commands find it from the repository's folder."
    )
    text = _TEXT.format(folder=f"{path}/" if path else "This folder", option=option)
    return guarded(text if path else text.replace("`This folder`", "This folder"), "renew with `babelreg gen agents`")
