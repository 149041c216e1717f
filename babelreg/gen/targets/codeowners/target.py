"""A block in CODEOWNERS: the accounts that own each context, and each message and service of another owner.

The accounts of an owner are in ``owners`` of ``babelreg.yaml``; an owner that is spelled like an account
(``@acme/team``, or an email address) needs no entry. The last line that matches a file counts, so contexts come before
messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from babelreg.gen.hooks import RunPlace, TargetHooks
from babelreg.gen.option import REGISTRY_FOLDER
from babelreg.gen.repository_places import codeowners_folder, unread_note, with_registry_folder

if TYPE_CHECKING:
    from babelreg.finding import Finding
    from babelreg.gen.target import File
    from babelreg.model import Registry

summary = "A block in the repository's CODEOWNERS: who owns which file of the registry"
options = (REGISTRY_FOLDER,)


def inputs(registry: Registry, options: Mapping[str, Any], place: RunPlace) -> Mapping[str, Any]:
    """Return the path of the registry in its repository."""
    return with_registry_folder(options, place)


def findings(registry: Registry) -> list[Finding]:
    """Return a warning for each owner without an account."""
    from babelreg.gen.targets.codeowners.block import unmapped_owners

    return unmapped_owners(registry)


def note(place: RunPlace) -> str | None:
    """Return why no code host reads the file, where that is so."""
    return unread_note(place.out, place.registry)


hooks = TargetHooks(default_folder=codeowners_folder, inputs=inputs, findings=findings, note=note)


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the block."""
    from babelreg.gen.block import with_block
    from babelreg.gen.target import File
    from babelreg.gen.targets.codeowners.block import block

    folder = REGISTRY_FOLDER.value(options, "codeowners")
    text = block(registry, "" if folder is None else str(folder))
    yield File("CODEOWNERS", text, edit=lambda old: with_block("CODEOWNERS", old, text))
