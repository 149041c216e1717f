"""Two files whose paths are equal on a case-insensitive file system.

On macOS and Windows, git silently checks out only one of them, and the other message is missing. On macOS the same
happens to paths that differ only in the Unicode form of a letter.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: orders/Created.yaml
    urn: urn:babel:orders:placed

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: orders/placed.yaml
    urn: urn:babel:orders:placed

Fix::

    Rename one of the files with `git mv`, in one commit and on a case-sensitive file system. If both declare the same
    message, remove one.
"""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Registry, Source

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    first: dict[str, Source] = {}
    for source in sorted(_sources(scope.registry), key=lambda source: source.path):
        other = first.setdefault(unicodedata.normalize("NFC", source.path).casefold(), source)
        if other.path != source.path:
            new = f"{source.path.rpartition('/')[0]}/NEW-NAME.yaml".lstrip("/")
            text = f"'{source.path}' and '{other.path}' are the same file on a system that ignores case"
            yield Problem(
                text,
                source,
                fix=f"git mv {shlex.quote(scope.path_to_paste(source.path))} {shlex.quote(scope.path_to_paste(new))}",
                against=other.place(),
            )


def _sources(registry: Registry) -> Iterator[Source]:
    yield from (message.source for message in registry.messages)
    yield from (context.source for context in registry.contexts.values())
    yield from (service.source for service in registry.services.values())
    yield from (fragment.source for fragment in registry.fragments.values())
