"""A URN in the code of a service that is not in the registry.

A message with this URN reaches nobody: consumers match URNs byte for byte, and refuse or drop unknown ones. It is
misspelt, or has not been declared yet. Only complete string literals count: URNs that are built at run time, or
mentioned in comments and prose, are not reported.

Bad::

    app.publish("urn:babel:orders:cancelld", data)

Good::

    app.publish("urn:babel:orders:cancelled", data)

Fix::

    Use the spelling of the registry, or declare the message there: `babelreg new URN --producer SERVICE --queue NAME`.
    To accept a line, such as a test of how unknown messages are refused, end it with the comment `babelreg: allow
    used-urn-unknown -- WHY`.
"""

from __future__ import annotations

import shlex
from functools import lru_cache

from babelreg.finding import Severity
from babelreg.model import Urn, UrnError
from babelreg.model.urn import PREFIX
from babelreg.scan.rules.rule import ServiceDeclarations, UsageProblem
from babelreg.scan.urn_use import UrnUse
from babelreg.suggest import closest

severity = Severity.ERROR
_MAX_LENGTH = 255


def check(use: UrnUse, declared: ServiceDeclarations) -> UsageProblem | None:
    if declared.message(use) is not None:
        return None
    near = _nearest(use.urn, tuple(declared.urns))
    try:
        urn = Urn.parse(use.urn)
    except UrnError as err:
        fix = f"did you mean '{near}'?" if near else "spell it urn:babel:<context>:<name>[.vN]"
        return UsageProblem(f"'{use.urn[:_MAX_LENGTH]}' is not a valid URN: {err.problem}", fix)
    line = _new_message(urn, use, declared)
    fix = f"did you mean '{near}'? If not, declare it: {line}" if near else line
    return UsageProblem(f"the registry has no {use.urn}", fix)


def _new_message(urn: Urn, use: UrnUse, declared: ServiceDeclarations) -> str:
    """Return the command that declares the message as the code uses it."""
    command = ["babelreg", "new", str(urn)]
    if not declared.tells_kind(urn.name):
        command += ["--kind", "event"]
    context = declared.registry.contexts.get(urn.context)
    if context is None or context.owner is None:
        service = declared.registry.services.get(declared.service or "")
        command += ["--owner", (service and service.owner) or "TEAM"]
    if declared.service is not None and use.role is not None:
        command += ["--producer" if use.role == "produces" else "--consumer", declared.service]
    command += ["--queue", use.queue or _queue_of(urn.context, declared)]
    return shlex.join([*command, *declared.options])


def _queue_of(context: str, declared: ServiceDeclarations) -> str:
    """Return the queue of all other messages of ``context``, else its name."""
    queues = {message.queue for message in declared.registry.messages if message.context == context and message.queue}
    return queues.pop() if len(queues) == 1 else context


@lru_cache(maxsize=1024)
def _nearest(urn: str, known: tuple[str, ...]) -> str | None:
    if len(urn) > _MAX_LENGTH:
        return None
    if urn.lower() in known:
        return urn.lower()
    start = len(PREFIX)  # without the prefix that all have, which would make all similar
    candidates = [other[start:] for other in known if abs(len(other) - len(urn)) <= 8 and other.startswith(PREFIX)]
    near = closest(urn.lower()[start:], candidates, 0.85)
    return None if near is None else PREFIX + near
