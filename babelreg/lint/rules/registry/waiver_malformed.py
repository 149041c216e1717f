"""A waiver that cannot be read.

A comment that starts with `babelreg:` is meant for this tool. If babelreg cannot parse it, it waives nothing, although
its author believes so.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        # babelreg: ignore money-as-float
        total: {type: number}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        # babelreg: allow money-as-float -- the tax office's own field, sent on as it came
        total: {type: number}

Fix::

    Write `# babelreg: allow RULE -- reason`, with the id of one rule, on the line of the finding or right above it. An
    `until 2027-03-31` before the two dashes names the last day on which the waiver is valid.
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
        if fault.rule == "waiver-malformed":
            yield Problem(fault.message, fault.source, fault.at, fix=fault.fix)
