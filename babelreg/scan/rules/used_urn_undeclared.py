"""A URN that a service uses without being declared in the registry.

The author of a change looks up in the registry which services it affects. A service that is not listed there is not
asked, and notices the change only in production. The call around the URN shows whether the code sends or handles a
message; if it does not, any declared role is sufficient.

Bad::

    # crm is not a producer of it
    app.publish("urn:babel:orders:cancelled", data)

Good::

    # crm is a declared consumer
    @app.handler("urn:babel:customers:registered")
    def registered(data, meta): ...

Fix::

    Add the service to the `producers` of the message, or the URN to `consumes` in the service's own file: `babelreg
    scan --write SRC` does both if the registry is a folder. To accept a line, end it with the comment `babelreg: allow
    used-urn-undeclared -- WHY`.
"""

from __future__ import annotations

from babelreg.finding import Severity
from babelreg.scan.rules.rule import ServiceDeclarations, UsageProblem
from babelreg.scan.urn_use import UrnUse

severity = Severity.ERROR


def check(use: UrnUse, declared: ServiceDeclarations) -> UsageProblem | None:
    message = declared.message(use)
    if message is None or message.status == "retired" or declared.service is None:
        return None
    roles = declared.roles(use.urn)
    if use.role in roles or (use.role is None and roles):
        return None
    produce = f"add {declared.service} to producers in {message.source.path}"
    consume = f"add `- urn: {use.urn}` below consumes in _services/{declared.service}.yaml"
    if use.role is None:
        return UsageProblem(f"{declared.service} uses {use.urn}, but is not a declared producer or consumer of it",
                       f"{produce}, or {consume}")  # fmt: skip
    verb, part, fix = ("sends", "producer", produce) if use.role == "produces" else ("handles", "consumer", consume)
    return UsageProblem(
        f"{declared.service} {verb} {use.urn}, but is not a declared {part} of it", f"{fix} (or scan --write)"
    )
