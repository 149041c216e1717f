"""A command that more than one service consumes.

A command asks for one thing to be done. With two services on it the thing is done twice, or by whichever is faster,
depending on the queue. What others want to know is that it was done, and for that there is an event.

Bad::

    urn: urn:babel:media:thumbnail.generate
    kind: command
    consumers: [billing-worker, storefront]

Good::

    # file: media/thumbnail.generate.yaml
    urn: urn:babel:media:thumbnail.generate
    kind: command
    consumers: [billing-worker]
    # file: media/thumbnail.generated.yaml
    urn: urn:babel:media:thumbnail.generated
    consumers: [storefront]

Fix::

    Leave the service that does the work, and let the others consume the event that it sends when it has. While the
    work moves from one service to another, waive the finding until a day.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "standard"

_MOST = 5


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        if message.kind == "command" and message.status != "retired":
            names = scope.registry.consumers(message.urn)
            if len(names) > 1:
                more = ", ..." if len(names) > _MOST else ""
                text = f"{len(names)} services consume the command '{message.urn}': {', '.join(names[:_MOST])}{more}"
                fix = "keep the one that does the work; the others may consume the event that it sends"
                yield Problem(text, message.source, ("consumers",), fix=fix, urn=message.urn)
