"""A waiver whose last day has passed.

A date on a waiver is a promise to look again. When it has passed, what the waiver hid is reported again, and this
finding says why.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        # babelreg: allow money-as-float until 2020-12-31 -- minor units come with the new till
        total: {type: number}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        # babelreg: allow money-as-float until 2999-12-31 -- minor units come with the new till
        total: {type: number}

Fix::

    Fix what was waived and remove the waiver. If that is not possible yet, give it a new date, and say in the
    reason what it waits for.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Place, Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    for waiver in scope.waivers.expired():
        text = f"this waiver of '{waiver.rule}' was valid until {waiver.expires}"
        fix = "fix what it hid and remove it, or set a later date"
        elsewhere = Place(waiver.path) if waiver.at and waiver.path in scope.paths else None
        yield Problem(text, waiver.source, waiver.at, fix=fix, urn=waiver.urn, against=elsewhere)
