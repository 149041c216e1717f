"""A published command that no service is declared to consume.

A command is a request to do something: with nobody to do it, every one ends on a dead-letter queue. Events may
well have no consumer, and are not reported.

Bad::

    urn: urn:babel:media:thumbnail.generate
    kind: command
    consumers: []

Good::

    urn: urn:babel:media:thumbnail.generate
    kind: command
    consumers: [billing-worker]

Fix::

    Name the service that acts on the command, best in its own file below `_services/`. Where nobody does any more,
    deprecate the command; where nobody does yet, make it a draft.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        if message.kind == "command" and message.published and not scope.registry.consumers(message.urn):
            text = f"no service consumes the command '{message.urn}'"
            fix = f"consumers: [NAME], or '- urn: {message.urn}' below 'consumes' in the service's own file"
            yield Problem(text, message.source, ("consumers",), fix=fix, urn=message.urn)
