"""A sunset or a retired_on that contradicts the status.

Only a deprecated message has a sunset, and only a retired one has a retirement date. If the status is another one,
someone forgot to change one of the two: people read the date, tools use the status.

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

    Update the status, or remove the date. A `sunset` that stays in a tombstone does no harm.
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
            text = f"'{message.urn}' is {message.status} but has a date of retirement"
            fix = "status: retired, or remove 'retired_on'"
            yield Problem(text, message.source, ("retired_on",), key=True, fix=fix, urn=message.urn)
        if message.sunset is not None and message.status != "deprecated":
            text = f"'{message.urn}' is {message.status} but has a sunset date"
            fix = "status: deprecated, or remove 'sunset'"
            yield Problem(text, message.source, ("sunset",), key=True, fix=fix, urn=message.urn)
