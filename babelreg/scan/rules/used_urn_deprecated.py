"""A deprecated URN in the code of a service that has not moved on.

Its last day is named in the registry; after it, consumers may stop to handle it. A consumer that is declared to consume
the successor as well is right to handle both until then, and is not reported.

Bad::

    # orders/cancelled.yaml: status: deprecated
    app.publish("urn:babel:orders:cancelled", data)

Good::

    # orders/cancelled.yaml: status: deprecated
    app.publish("urn:babel:orders:created.v2", data)

Fix::

    Send the successor, and let consumers handle both until the sunset. A line that is right as it is ends in a comment:
    `babelreg: allow used-urn-deprecated -- WHY`.
"""

from __future__ import annotations

from babelreg.finding import Severity
from babelreg.scan.rules.rule import ServiceDeclarations, UsageProblem
from babelreg.scan.urn_use import UrnUse

severity = Severity.WARNING


def check(use: UrnUse, declared: ServiceDeclarations) -> UsageProblem | None:
    message = declared.message(use)
    if message is None or message.status != "deprecated":
        return None
    successor = declared.registry.successor(use.urn)
    roles = {use.role} if use.role else declared.roles(use.urn)
    if successor and roles == {"consumes"} and "consumes" in declared.roles(successor.urn):
        return None
    until = f" and goes away on {message.sunset}" if message.sunset else ""
    fix = f"move to {successor.urn}" if successor else f"ask {message.owner or 'its owner'} what takes its place"
    return UsageProblem(f"{use.urn} is deprecated{until}", fix)
