"""A published message without a description.

The name tells what happened, but not when exactly the message is sent, what it omits and what a consumer may conclude
from it. A sentence or two save the next team from reading the producer's code. Drafts and tombstones need none.

Bad::

    urn: urn:babel:orders:created
    description: ""

Good::

    urn: urn:babel:orders:created
    description: An order was accepted and paid for; sent once for each order.

Fix::

    Write one sentence on when it is sent, and another on what is easily misunderstood. The author of the producer needs
    a minute for it, everyone else an afternoon.
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
        if message.published and not (message.description and message.description.strip()):
            fix = "description: …, a sentence on when it is sent and what it means"
            yield Problem(
                f"'{message.urn}' has no description", message.source, ("description",), fix=fix, urn=message.urn
            )
