"""A URN in the code of a service that the registry does not have.

A message with it reaches nobody: consumers match URNs byte for byte, and what they do not know they refuse or drop. It
is misspelt, or nobody has declared it yet. Only whole string literals count: URNs that are built at run time, or
mentioned in comments and prose, are not reported.

Bad::

    app.publish("urn:babel:orders:cancelld", data)

Good::

    app.publish("urn:babel:orders:cancelled", data)

Fix::

    Spell it as the registry does, or declare the message there. A line that is right as it is, such as one that checks
    how unknown messages are refused, ends in a comment: `babelreg: allow used-urn-unknown -- WHY`.
"""

from __future__ import annotations

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
    """See ScanRule."""
    if declared.message(use) is not None:
        return None
    near = _nearest(use.urn, tuple(declared.urns))
    try:
        path = Urn.parse(use.urn).path
    except UrnError as err:
        fix = f"did you mean '{near}'?" if near else "spell it urn:babel:<context>:<name>[.vN]"
        return UsageProblem(f"'{use.urn[:_MAX_LENGTH]}' is not a URN of the registry: {err.problem}", fix)
    fix = f"did you mean '{near}'? If not, declare it in {path}" if near else f"declare it in {path} of the registry"
    return UsageProblem(f"the registry has no {use.urn}", fix)


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
