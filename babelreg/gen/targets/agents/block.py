"""The text of the block: at most 400 tokens, because every session of an agent reads it."""

from __future__ import annotations

import shlex

from babelreg.gen.block import guarded

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


def block(folder: str) -> str:
    """Return the block with its marker lines; ``folder`` is the path of the registry in its repository."""
    path = folder.strip("/. ")
    nested = path.count("/") > 0
    option = (
        f"Pass `--registry {shlex.quote(path)}` to each command."
        if nested
        else "Commands find it from the repository's folder."
    )
    text = _TEXT.format(folder=f"{path}/" if path else "This folder", option=option)
    return guarded(text if path else text.replace("`This folder`", "This folder"), "renew with `babelreg gen agents`")
