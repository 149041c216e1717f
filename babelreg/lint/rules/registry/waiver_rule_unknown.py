"""A waiver of a rule that does not exist or cannot be waived.

A misspelt rule id waives nothing. And there are findings that no waiver hides: a file that cannot be read, since every
other finding depends on it, and what is wrong with a waiver itself. A waiver names one rule; there is none for all. It
waives rules of `babelreg lint`: a breaking change is accepted below `breaking:` in the settings, never by a comment.

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

    Write the id in brackets after the finding; `babelreg rules` lists them all. Remove the waiver of what cannot be
    waived, and correct the file.
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
