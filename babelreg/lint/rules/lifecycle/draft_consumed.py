"""A draft that a service of another team consumes.

A draft may change in any way without a word: `breaking` does not look at it. A team that builds on the draft of
another is broken by the next edit, and nobody will know why.

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
