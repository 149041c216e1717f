"""A published command without a declared consumer.

A command asks a service to do something. If no service does it, every message ends in a dead-letter queue. Events
without a consumer are fine and not reported.

Bad::

    urn: urn:babel:media:thumbnail.generate
    kind: command
    consumers: []

Good::

    urn: urn:babel:media:thumbnail.generate
    kind: command
    consumers: [billing-worker]

Fix::

    Declare the service that handles the command, preferably in its own file in `_services/`. If no service handles it
    any more, deprecate the command; if none does yet, make it a draft.
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
