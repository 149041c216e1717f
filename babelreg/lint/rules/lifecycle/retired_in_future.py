"""A retired message with a retirement date in the future.

Retired means gone: the tools refuse the message from now on, whatever the date says. A message that is still sent
until a certain day is deprecated, with that day as its sunset.

Bad::

    urn: urn:babel:orders:created
    status: retired
    retired_on: 2999-06-30

Good::

    urn: urn:babel:orders:created
    status: deprecated
    sunset: 2999-06-30

Fix::

    Write `status: deprecated` and the day as `sunset`; the schema comes back with it. If it is already gone, correct
    the date.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model.day import day

severity = Severity.WARNING
profile = "standard"

# Today is the day in UTC; east of it tomorrow has begun.
_DAYS_AHEAD = 1


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        since = day(message.retired_on) if message.status == "retired" else None
        if since is not None and (since - scope.today).days > _DAYS_AHEAD:
            text = f"'{message.urn}' is retired, but its last day, {message.retired_on}, is in the future"
            fix = f"status: deprecated, with sunset: {message.retired_on}"
            yield Problem(text, message.source, ("retired_on",), fix=fix, urn=message.urn)
