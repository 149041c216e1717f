"""A waiver of a rule that does not exist or cannot be waived.

A misspelt rule id waives nothing. Some findings cannot be waived: an unreadable file, since every other finding depends
on it, and defects of waivers themselves. A waiver names exactly one rule of `babelreg lint`. A breaking change is
accepted under `breaking:` in the settings, never by a comment.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        # babelreg: allow money-float -- the tax office's own field, sent on as it came
        total: {type: number}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        # babelreg: allow money-as-float -- the tax office's own field, sent on as it came
        total: {type: number}

Fix::

    Write the id that the finding shows in brackets; `babelreg rules` lists them all. If the finding cannot be waived,
    remove the waiver and correct the file.
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
        if fault.rule == "waiver-rule-unknown":
            fix = fault.fix
            if fault.named is not None:
                suggestion = scope.nearest(fault.named, scope.rule_ids)
                fix = "remove this waiver; `babelreg rules` lists the rules"
                if suggestion:
                    fix = f"did you mean '{suggestion}'?"
            yield Problem(fault.message, fault.source, fault.at, fix=fix)
