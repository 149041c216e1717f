"""A block in CODEOWNERS: the accounts that own each context, and each message and service of another owner.

The accounts of an owner are in ``owners`` of ``babelreg.yaml``; an owner that is spelled like an account
(``@acme/team``, or an email address) needs no entry. The last line that matches a file counts, so contexts come before
messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from babelreg.gen.option import REGISTRY_FOLDER

if TYPE_CHECKING:
    from babelreg.gen.target import File
    from babelreg.model import Registry

__all__ = ["files", "options", "own_folder", "summary", "unsupported"]

summary = "A block in the repository's CODEOWNERS: who owns which file of the registry"
options = (REGISTRY_FOLDER,)
unsupported = None


def own_folder(options: Mapping[str, Any]) -> str:
    """Return "": the file lies in the output folder itself."""
    return ""


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the block."""
    from babelreg.gen.block import with_block
    from babelreg.gen.target import File
    from babelreg.gen.targets.codeowners.block import block

    folder = REGISTRY_FOLDER.value(options, "codeowners")
    text = block(registry, "" if folder is None else str(folder))
    yield File("CODEOWNERS", text, edit=lambda old: with_block("CODEOWNERS", old, text))
