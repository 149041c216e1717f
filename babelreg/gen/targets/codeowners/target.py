"""A block in CODEOWNERS: the accounts that own each context, and each message and service of another owner.

The accounts of an owner are in ``owners`` of ``babelreg.yaml``; an owner that is spelled like an account
(``@acme/team``, or an email address) needs no entry. The last line that matches a file counts, so contexts come before
messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from babelreg.finding import Finding, Severity
from babelreg.gen.block import BEGIN, END
from babelreg.gen.hooks import RunPlace, TargetHooks
from babelreg.gen.option import REGISTRY_FOLDER
from babelreg.gen.repository_places import codeowners_folder, unread_note, with_registry_folder
from babelreg.model import Registry
from babelreg.model.source import Source

if TYPE_CHECKING:
    from babelreg.gen.target import File

summary = "A block in the repository's CODEOWNERS: who owns which file of the registry"
options = (REGISTRY_FOLDER,)

_ACCOUNT = re.compile(r"@[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*\Z|[^@\s#]+@[^@\s#]+\Z")
_SPECIAL = re.compile(r"([\\ #!*?\[\]])")


def inputs(registry: Registry, options: Mapping[str, Any], place: RunPlace) -> Mapping[str, Any]:
    """Return the path of the registry in its repository."""
    return with_registry_folder(options, place)


def findings(registry: Registry) -> list[Finding]:
    """Return a warning for each owner without an account, at the first place that names it."""
    by_owner: dict[str, Finding] = {}
    for _, owner, source in _owned(registry):
        if owner not in by_owner and not _accounts(registry, owner):
            by_owner[owner] = Finding(
                "owner-unmapped",
                Severity.WARNING,
                f"the owner '{_one_line(owner)}' has no account in `owners` of babelreg.yaml; it is not in CODEOWNERS",
                source.place(("owner",)),
                fix=f'owners: {{{_one_line(owner)}: ["@ORGANISATION/TEAM"]}}',
            )
    return list(by_owner.values())


def note(place: RunPlace) -> str | None:
    """Return why no code host reads the file, where that is so."""
    return unread_note(place.out, place.registry)


hooks = TargetHooks(default_folder=codeowners_folder, inputs=inputs, findings=findings, note=note)


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the block."""
    from babelreg.gen.block import with_block
    from babelreg.gen.target import File

    folder = REGISTRY_FOLDER.value(options, "codeowners")
    text = block(registry, "" if folder is None else str(folder))
    yield File("CODEOWNERS", text, edit=lambda old: with_block("CODEOWNERS", old, text))


def block(registry: Registry, folder: str) -> str:
    """Return the block with its marker lines; ``folder`` is the path of the registry in its repository."""
    prefix = f"/{folder.strip('/')}/" if folder.strip("/. ") else "/"
    lines = [f"{BEGIN}: the owners of the registry; renew with `babelreg gen codeowners`."]
    for path, owner, _ in _owned(registry):
        accounts = _accounts(registry, owner)
        shown = _SPECIAL.sub(r"\\\1", prefix + path)
        lines.append(f"{shown} {' '.join(accounts)}" if accounts else f"# {shown}: {_one_line(owner)} has no account")
    return "\n".join([*lines, f"{END}."]) + "\n"


def _owned(registry: Registry) -> Iterator[tuple[str, str, Source]]:
    """Yield the path of each context, message and service with an owner of its own, the owner, and who names it."""
    contexts = sorted(registry.contexts.values(), key=lambda context: context.source.path)
    for context in contexts:
        if context.owner:
            yield f"{context.source.path.rpartition('/')[0]}/", context.owner, context.source
    owners = {context.source.path.rpartition("/")[0]: context.owner for context in contexts}
    for message in registry.messages:
        folder = message.source.path.partition("/")[0]
        if message.owner and message.owner != owners.get(folder):
            yield message.source.path, message.owner, message.source
    for service in sorted(registry.services.values(), key=lambda service: service.source.path):
        if service.owner:
            yield service.source.path, service.owner, service.source


def _accounts(registry: Registry, owner: str) -> tuple[str, ...]:
    return registry.settings.owners.get(owner) or ((owner,) if _ACCOUNT.match(owner) else ())


def _one_line(text: str) -> str:
    return text if text.isprintable() else ascii(text)[1:-1]
