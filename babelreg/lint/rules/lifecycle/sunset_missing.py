"""A deprecated message without a sunset.

Without a date nobody has a reason to migrate: such messages are sent for years, by producers who would gladly stop, to
consumers who do not know that they are the last.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    status: deprecated
    # file: orders/placed.yaml
    urn: urn:babel:orders:placed
    supersedes: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    status: deprecated
    sunset: 2099-06-30
    # file: orders/placed.yaml
    urn: urn:babel:orders:placed
    supersedes: urn:babel:orders:created

Fix::

    Agree on a date with the consumers and write it as `sunset`. A date that has to be moved later is better than none.
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
        if message.status == "deprecated" and message.sunset is None:
            text = f"'{message.urn}' is deprecated but has no sunset date"
            yield Problem(text, message.source, ("status",), fix="sunset: YYYY-MM-DD", urn=message.urn)
