"""A message with more than three versions in use at once.

Each version in use costs code in producers and consumers, and a table. With
four of them, the oldest is usually forgotten, not needed.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: orders/created.v2.yaml
    urn: urn:babel:orders:created.v2
    supersedes: urn:babel:orders:created
    # file: orders/created.v3.yaml
    urn: urn:babel:orders:created.v3
    supersedes: urn:babel:orders:created.v2
    # file: orders/created.v4.yaml
    urn: urn:babel:orders:created.v4
    supersedes: urn:babel:orders:created.v3

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    status: retired
    retired_on: 2026-01-31
    # file: orders/created.v2.yaml
    urn: urn:babel:orders:created.v2
    # file: orders/created.v3.yaml
    urn: urn:babel:orders:created.v3
    supersedes: urn:babel:orders:created.v2
    # file: orders/created.v4.yaml
    urn: urn:babel:orders:created.v4
    supersedes: urn:babel:orders:created.v3

Fix::

    Deprecate the oldest with a `sunset`, move its consumers, and retire it.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Message, Urn

severity = Severity.WARNING
profile = "strict"

_MOST = 3


def check(scope: Scope) -> Iterator[Problem]:
    versions: dict[Urn, list[tuple[int, Message]]] = {}
    for message in scope.registry.messages:
        if message.parsed and message.published:
            versions.setdefault(message.parsed.first, []).append((message.parsed.version, message))
    for family in versions.values():
        if len(family) > _MOST:
            oldest = min(family, key=lambda version: version[0])[1]
            text = f"{len(family)} versions are in use; the oldest is '{oldest.urn}'"
            fix = "status: deprecated, with a sunset; retire it when its consumers have migrated"
            yield Problem(text, oldest.source, ("urn",), fix=fix, urn=oldest.urn)
