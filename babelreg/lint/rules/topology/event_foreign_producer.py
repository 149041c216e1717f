"""An event produced by a service of another context.

An event speaks for the context that owns it: only that context knows when the thing has happened, and when its
meaning may change. Reported is a producer whose team owns another context and not this one; a team without a
context, such as that of a web site, may speak for the context it serves.

Bad::

    # file: orders/_context.yaml
    owner: team-orders
    # file: billing/_context.yaml
    owner: team-billing
    # file: _services/billing-worker.yaml
    owner: team-billing
    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [billing-worker]

Good::

    # file: orders/_context.yaml
    owner: team-orders
    # file: billing/_context.yaml
    owner: team-billing
    # file: _services/billing-worker.yaml
    owner: team-billing
    # file: billing/paid.yaml
    urn: urn:babel:billing:paid
    producers: [billing-worker]

Fix::

    Declare the event in the producer's own context, or let it send a command to the context that owns the event.
    If the two teams have agreed on it, name the producer's team as the `owner` of the message.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    services, contexts = scope.registry.services, scope.registry.contexts
    owners = {context.owner for context in contexts.values()}
    for message in scope.messages:
        if message.kind != "event" or message.status == "retired" or message.owner is None:
            continue
        context = contexts.get(message.context)
        own = {message.owner, context.owner if context else None}
        for index, name in enumerate(message.producers):
            owner = services[name].owner if name in services else None
            if owner is not None and owner not in own and owner in owners:
                text = f"'{name}' of {owner} produces an event that {message.owner} owns"
                fix = f"declare it in a context of {owner}, or write owner: {owner} if the teams have agreed on it"
                yield Problem(text, message.source, ("producers", index), fix=fix, urn=message.urn)
