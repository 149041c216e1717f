"""A draft consumed by a service of another team.

A draft may change in any way without a warning, because `breaking` does not check it. If a team builds on another
team's draft, the next edit may break it, and nobody will know why.

Bad::

    urn: urn:babel:orders:created
    status: draft
    consumers: [billing-worker]

Good::

    urn: urn:babel:orders:created
    status: active
    consumers: [billing-worker]

Fix::

    Make the message active as soon as another team builds on it. While both teams try it out, waive the finding
    with a day on which the waiver expires.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "strict"


def check(scope: Scope) -> Iterator[Problem]:
    services = scope.registry.services
    for message in scope.messages:
        if message.status == "draft":
            consumers = scope.registry.consumers(message.urn)
            others = [n for n in consumers if n in services and services[n].owner not in (None, message.owner)]
            if others:
                owner = services[others[0]].owner
                text = f"'{message.urn}' is a draft, and '{others[0]}' of {owner} consumes it"
                yield Problem(text, message.source, ("status",), fix="status: active", urn=message.urn)
