"""A sunset or a retired_on that the status does not go with.

Only a deprecated message has a day on which it goes away, and only a retired one a day on which it went. Where the
status says otherwise, one of the two was forgotten: people read the date, the tools go by the status.

Bad::

    urn: urn:babel:orders:created
    status: active
    sunset: 2099-06-30

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    status: deprecated
    sunset: 2099-06-30
    # file: orders/placed.yaml
    urn: urn:babel:orders:placed
    supersedes: urn:babel:orders:created

Fix::

    Bring the status up to date, or take the date out. A `sunset` that stays in a tombstone does no harm.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        if message.status == "retired":
            continue
        if message.retired_on is not None:
            text = f"'{message.urn}' is {message.status} and has a day on which it was retired"
            fix = "status: retired, or remove 'retired_on'"
            yield Problem(text, message.source, ("retired_on",), key=True, fix=fix, urn=message.urn)
        if message.sunset is not None and message.status != "deprecated":
            text = f"'{message.urn}' is {message.status} and has a day on which it goes away"
            fix = "status: deprecated, or remove 'sunset'"
            yield Problem(text, message.source, ("sunset",), key=True, fix=fix, urn=message.urn)
