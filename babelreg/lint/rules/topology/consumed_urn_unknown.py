"""A service that consumes an undeclared URN.

It waits for a message that never arrives, or for one without a contract. Usually the URN is misspelt.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: _services/billing-worker.yaml
    owner: team-billing
    consumes:
      - urn: urn:babel:order:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: _services/billing-worker.yaml
    owner: team-billing
    consumes:
      - urn: urn:babel:orders:created

Fix::

    Correct the URN in the service's file. If the message was never declared, ask its producer's team to declare
    it; where it is gone for good, remove the entry.
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
    for service in scope.services:
        for index, consumption in enumerate(service.consumes):
            urn = consumption.urn
            if urn in known or scope.unreadable(urn):
                continue
            suggestion = scope.nearest(urn, known)
            text = f"'{service.name}' consumes '{urn}', which is not in the registry"
            fix = f"urn: {suggestion}" if suggestion else "remove it here, or declare the message"
            yield Problem(text, service.source, ("consumes", index, "urn"), fix=fix)
