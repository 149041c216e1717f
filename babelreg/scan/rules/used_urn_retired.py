"""A retired URN in the code of a service.

Nobody sends or reads it any more, and it is never used again. Code that still names it is dead, or sends what
no consumer takes.

Bad::

    # orders/cancelled.yaml: status: retired
    app.publish("urn:babel:orders:cancelled", data)

Good::

    # orders/cancelled.yaml: status: retired
    app.publish("urn:babel:orders:created.v2", data)

Fix::

    Take the code out, or use the message that took its place. A line that is right as it is ends in a comment:
    `babelreg: allow used-urn-retired -- WHY`.
"""

from __future__ import annotations

from babelreg.finding import Severity
from babelreg.scan.rules.rule import ServiceDeclarations, UsageProblem
from babelreg.scan.urn_use import UrnUse

severity = Severity.ERROR


def check(use: UrnUse, declared: ServiceDeclarations) -> UsageProblem | None:
    message = declared.message(use)
    if message is None or message.status != "retired":
        return None
    successor = declared.registry.successor(use.urn)
    since = f" since {message.retired_on}" if message.retired_on else ""
    fix = f"use {successor.urn}, or take the code out" if successor else "take the code out"
    return UsageProblem(f"{use.urn} is retired{since}", fix)
