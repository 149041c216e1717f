"""A waiver that does not say why.

Without a reason nobody can tell later whether the finding is still right to accept, and so it stays for ever. What
`--format waivers` prints has a placeholder in its place, which is not a reason either. Until there is one, nothing is
waived.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        # babelreg: allow money-as-float
        total: {type: number}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        # babelreg: allow money-as-float -- the tax office's own field, sent on as it came
        total: {type: number}

Fix::

    Say after the two dashes, or as `reason:` in the settings, what makes this place different from others. If nothing
    does, fix what the rule reports instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    for fault in scope.waivers.faults:
        if fault.rule == "waiver-reason-missing":
            yield Problem(fault.message, fault.source, fault.at, fix=fault.fix)
