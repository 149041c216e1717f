"""A deprecated message past its sunset that nobody consumes.

Its sunset has passed and no consumer is left: it can become a tombstone, so that nobody starts to use it and producers
can remove the code that sends it.

Bad::

    urn: urn:babel:orders:created
    status: deprecated
    sunset: 2020-06-30

Good::

    urn: urn:babel:orders:created
    status: retired
    retired_on: 2020-06-30

Fix::

    Make it a tombstone: `urn`, `status: retired`, `retired_on`, and a description if you like. Never delete the
    file, since its URN must not come back with another meaning.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model.day import day

severity = Severity.INFO
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        last = day(message.sunset) if message.status == "deprecated" else None
        if last is not None and last <= scope.today and not scope.registry.consumers(message.urn):
            text = f"'{message.urn}' ended on {message.sunset} and nobody consumes it: it can be retired"
            fix = f"status: retired, with retired_on: {scope.today.isoformat()}"
            yield Problem(text, message.source, ("sunset",), fix=fix, urn=message.urn)
