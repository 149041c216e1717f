"""A retired message that a declared service produces or consumes.

The message is gone and its URN is never used again. A service that still uses it waits in vain, or sends messages that
everybody refuses.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    status: retired
    retired_on: 2026-01-31
    # file: _services/billing-worker.yaml
    owner: team-billing
    consumes:
      - urn: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    status: retired
    retired_on: 2026-01-31
    # file: _services/billing-worker.yaml
    owner: team-billing

Fix::

    Let the service consume the replacement, or remove the entry. If the service still needs it, the message was retired
    too early: make it deprecated again, with a `sunset`.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    known = scope.registry.by_urn
    for service in scope.registry.services.values():
        for index, consumption in enumerate(service.consumes):
            message = known.get(consumption.urn)
            if message is not None and message.status == "retired":
                text = f"'{service.name}' consumes '{message.urn}', which is retired"
                successor = scope.registry.successor(message.urn)
                fix = f"urn: {successor.urn}" if successor and successor.published else "remove this entry"
                at, there = ("consumes", index, "urn"), message.source.place(("status",))
                yield Problem(text, service.source, at, fix=fix, urn=message.urn, against=there)
    for message in scope.messages:
        if message.status == "retired":
            for key, names in (("producers", message.producers), ("consumers", message.declared_consumers)):
                if names:
                    text = f"'{message.urn}' is retired but still has {key}"
                    yield Problem(text, message.source, (key,), key=True, fix="remove this line", urn=message.urn)
