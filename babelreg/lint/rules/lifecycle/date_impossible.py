"""A sunset or a retired_on that is not a calendar date.

The 31st of June looks like a date but does not exist. Nothing scheduled for it ever happens, and every tool that parses
it as a date fails.

Bad::

    urn: urn:babel:orders:created
    status: retired
    retired_on: 2026-06-31

Good::

    urn: urn:babel:orders:created
    status: retired
    retired_on: 2026-06-30

Fix::

    Write the intended day as YYYY-MM-DD.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model.day import day

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        for key, written in (("sunset", message.sunset), ("retired_on", message.retired_on)):
            if written is not None and day(written) is None:
                text = f"{written} is not a date of the calendar"
                fix = f"{key}: YYYY-MM-DD, an existing date"
                yield Problem(text, message.source, (key,), fix=fix, urn=message.urn)
