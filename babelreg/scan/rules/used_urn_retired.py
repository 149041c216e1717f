"""A retired URN in the code of a service.

Nobody sends or reads it any longer, and it is never used again. Code that still uses it is dead, or sends messages that
no consumer accepts.

Bad::

    # orders/cancelled.yaml: status: retired
    app.publish("urn:babel:orders:cancelled", data)

Good::

    # orders/cancelled.yaml: status: retired
    app.publish("urn:babel:orders:created.v2", data)

Fix::

    Remove the code, or use the message that replaced it. To accept a line, end it with the comment `babelreg: allow
    used-urn-retired -- WHY`.
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
    fix = f"use {successor.urn}, or remove the code" if successor else "remove the code"
    return UsageProblem(f"{use.urn} is retired{since}", fix)
