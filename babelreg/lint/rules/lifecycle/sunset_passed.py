"""A deprecated message that services still consume after its sunset.

After its sunset the message is no longer sent. A service that still waits for it does nothing, without any error, until
somebody misses its work.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    status: deprecated
    sunset: 2020-06-30
    consumers: [billing-worker]
    # file: orders/created.v2.yaml
    urn: urn:babel:orders:created.v2
    supersedes: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    status: deprecated
    sunset: 2099-06-30
    consumers: [billing-worker]
    # file: orders/created.v2.yaml
    urn: urn:babel:orders:created.v2
    supersedes: urn:babel:orders:created

Fix::

    Move the consumers to the successor and remove them here. If they need more time, ask the producers to continue, and
    move the `sunset`.

    The current day is used; `--today` sets another.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model.day import day

severity = Severity.ERROR
profile = "standard"

_MOST = 5


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        last = day(message.sunset) if message.status == "deprecated" else None
        if last is None or last > scope.today:
            continue
        consumers = scope.registry.consumers(message.urn)
        if consumers:
            more = f" and {len(consumers) - _MOST} more" if len(consumers) > _MOST else ""
            text = f"'{message.urn}' ended on {message.sunset}; still consumed by {', '.join(consumers[:_MOST])}{more}"
            successor = scope.registry.successor(message.urn)
            move = f"make them consume {successor.urn}" if successor else "remove it from their consumes"
            fix = f"{move}, or agree on a later date: sunset: YYYY-MM-DD"
            yield Problem(text, message.source, ("sunset",), fix=fix, urn=message.urn)
