"""The lines of CODEOWNERS for a registry."""

from __future__ import annotations

import re
from collections.abc import Iterator

from babelreg.finding import Finding, Severity
from babelreg.gen.block import BEGIN, END
from babelreg.model import Registry
from babelreg.model.source import Source

_ACCOUNT = re.compile(r"@[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*\Z|[^@\s#]+@[^@\s#]+\Z")
_SPECIAL = re.compile(r"([\\ #!*?\[\]])")


def block(registry: Registry, folder: str) -> str:
    """Return the block with its marker lines; ``folder`` is the path of the registry in its repository."""
    prefix = f"/{folder.strip('/')}/" if folder.strip("/. ") else "/"
    lines = [f"{BEGIN}: the owners of the registry; renew with `babelreg gen codeowners`."]
    for path, owner, _ in _owned(registry):
        accounts = _accounts(registry, owner)
        shown = _SPECIAL.sub(r"\\\1", prefix + path)
        lines.append(f"{shown} {' '.join(accounts)}" if accounts else f"# {shown}: {_one_line(owner)} has no account")
    return "\n".join([*lines, f"{END}."]) + "\n"


def unmapped_owners(registry: Registry) -> list[Finding]:
    """Return a warning for each owner without an account, at the first place that names it."""
    findings: dict[str, Finding] = {}
    for _, owner, source in _owned(registry):
        if owner not in findings and not _accounts(registry, owner):
            findings[owner] = Finding(
                "owner-unmapped",
                Severity.WARNING,
                f"the owner '{_one_line(owner)}' has no account in `owners` of babelreg.yaml; CODEOWNERS leaves it out",
                source.place(("owner",)),
                fix=f'owners: {{{_one_line(owner)}: ["@ORGANISATION/TEAM"]}}',
            )
    return list(findings.values())


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
