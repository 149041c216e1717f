"""A sunset or a retired_on that no calendar has.

The 31st of June has the form of a date and does not exist. Nothing that waits for it ever happens, and every tool that
reads it as a date stops.

Bad::

    urn: urn:babel:orders:created
    status: retired
    retired_on: 2026-06-31

Good::

    urn: urn:babel:orders:created
    status: retired
    retired_on: 2026-06-30

Fix::

    Write the day that was meant, as YYYY-MM-DD.
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
                text = f"there is no {written} in the calendar"
                fix = f"{key}: YYYY-MM-DD, a day that exists"
                yield Problem(text, message.source, (key,), fix=fix, urn=message.urn)
