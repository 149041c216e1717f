"""A published message without a declared producer.

Without a producer, nobody knows who must act when the message changes, or whether it is sent at all. Drafts and
tombstones need none.

Bad::

    urn: urn:babel:orders:created
    producers: []

Good::

    urn: urn:babel:orders:created
    producers: [orders-api]

Fix::

    List the services that send it under `producers`. If nobody sends it yet, write `status: draft`; if nobody sends it
    any more, deprecate it.
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
        if message.published and not message.producers:
            text = f"no service produces '{message.urn}'"
            fix = "producers: [NAME], or status: draft while nobody sends it"
            yield Problem(text, message.source, ("producers",), fix=fix, urn=message.urn)
