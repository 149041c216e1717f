"""A version whose predecessor is not in the registry.

Versions of a message count up without gaps: `.v3` means that a first version and `.v2` exist or existed. The
registry keeps them all, retired ones as tombstones, since their URNs must never come back with another meaning.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: orders/created.v3.yaml
    urn: urn:babel:orders:created.v3

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    status: retired
    retired_on: 2026-01-31
    # file: orders/created.v2.yaml
    urn: urn:babel:orders:created.v2

Fix::

    Name the version after the one before it, or put the missing one back as a tombstone. Do not give a published
    message another number.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Urn

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    declared = {message.parsed for message in scope.registry.messages}
    for message in scope.messages:
        previous = message.parsed.previous if message.parsed else None
        if previous is None or previous in declared or scope.unreadable(str(previous)):
            continue
        text = f"'{message.urn}' has no predecessor: '{previous}' is not in the registry"
        lower = _highest_below(previous, declared)
        tombstone = f"{{urn: {previous}, status: retired, retired_on: YYYY-MM-DD}}"
        fix = f"name this one '{lower.next if lower else previous.first}', or put into {previous.path}: {tombstone}"
        yield Problem(text, message.source, ("urn",), fix=fix, urn=message.urn)


def _highest_below(urn: Urn, declared: set[Urn | None]) -> Urn | None:
    below = [d for d in declared if d and d.first == urn.first and d.version < urn.version]
    return max(below, default=None)
