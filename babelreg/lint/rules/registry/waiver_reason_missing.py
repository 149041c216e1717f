"""A waiver without a reason.

Without a reason, nobody can decide later whether the waiver is still justified, so it stays forever. The placeholder
that `--format waivers` prints does not count as a reason. A waiver without a reason waives nothing.

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

    After the two dashes, or as `reason:` in the settings, explain why this case is different. If it is not, fix what
    the rule reports.
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
