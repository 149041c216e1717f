"""Messages of one queue, some with `headers: true` and some without.

A worker reads a queue with one SDK. Either that SDK reads frames, the form that messages with headers have on Redis,
and then all messages of the queue can have them; or it does not, and then a single one stops it.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    queue: orders
    headers: true
    # file: orders/paid.yaml
    urn: urn:babel:orders:paid
    queue: orders

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    queue: orders
    headers: true
    # file: orders/paid.yaml
    urn: urn:babel:orders:paid
    queue: orders
    headers: true

Fix::

    Write `headers: true` in all messages of the queue, after every one of its consumers was generated or updated so
    that it reads frames; or in none of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import topology

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    registry = scope.registry
    for queue, urns in topology(registry).sent_to.items():
        messages = [registry.by_urn[urn] for urn in urns]
        having = next((message for message in messages if message.headers), None)
        for message in messages:
            if having is not None and not message.headers:
                text = f"queue '{queue}' has messages with headers, such as '{having.urn}', but this one has none"
                against = having.source.place(("headers",))
                yield Problem(text, message.source, ("queue",), fix="headers: true", urn=message.urn, against=against)
