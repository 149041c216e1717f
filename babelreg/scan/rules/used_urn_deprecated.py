"""A deprecated URN in the code of a service that has not migrated.

The registry has its last day, after which consumers may stop handling it. A consumer that is declared for the successor
as well correctly handles both until then, and is not reported.

Bad::

    # orders/cancelled.yaml: status: deprecated
    app.publish("urn:babel:orders:cancelled", data)

Good::

    # orders/cancelled.yaml: status: deprecated
    app.publish("urn:babel:orders:created.v2", data)

Fix::

    Send the successor, and make consumers handle both until the sunset. To accept a line, end it with the comment
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
    fix = f"migrate to {successor.urn}" if successor else f"ask {message.owner or 'its owner'} what replaces it"
    return UsageProblem(f"{use.urn} is deprecated{until}", fix)
