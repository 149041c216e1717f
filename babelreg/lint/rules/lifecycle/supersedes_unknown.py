"""A `supersedes` that names an unknown message, or the message itself.

`supersedes` is how a consumer of the old message finds the new one, and where `upcast` starts from. A misspelt
URN there breaks both silently.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: orders/created.v2.yaml
    urn: urn:babel:orders:created.v2
    supersedes: urn:babel:orders:creatd

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: orders/created.v2.yaml
    urn: urn:babel:orders:created.v2
    supersedes: urn:babel:orders:created

Fix::

    Correct the URN. A message that is gone comes back as a tombstone (`urn`, `status: retired`, `retired_on`), so
    that what superseded it can still say so.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    known = scope.registry.by_urn
    for message in scope.messages:
        named = message.supersedes
        if named is None or (named in known and named != message.urn) or scope.unreadable(named):
            continue
        if named == message.urn:
            previous = message.parsed.previous if message.parsed else None
            text, suggestion = f"'{named}' supersedes itself", str(previous) if previous else None
        else:
            text, suggestion = f"'{named}' is not in the registry", scope.nearest(named, known)
        fix = f"supersedes: {suggestion}" if suggestion else "remove 'supersedes', or declare the message that it names"
        yield Problem(text, message.source, ("supersedes",), fix=fix, urn=message.urn)
