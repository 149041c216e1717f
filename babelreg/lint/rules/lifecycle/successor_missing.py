"""A deprecated message without a successor for its consumers.

Its consumers know that they must migrate, but not where to. The replacement names the old message in `supersedes`;
documentation and generated code point to it. A deprecated message without consumers is not reported.

Bad::

    urn: urn:babel:orders:created
    status: deprecated
    sunset: 2099-06-30
    consumers: [billing-worker]

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

    Add `supersedes` to the message that replaces it; the next version that `babelreg mint` writes has it.

    If there is no replacement, describe what consumers should do in the description, and waive the finding.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Urn

severity = Severity.WARNING
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    newest: dict[Urn, int] | None = None
    for message in scope.messages:
        if message.status != "deprecated" or scope.registry.successor(message.urn) is not None:
            continue
        consumers = scope.registry.consumers(message.urn)
        if not consumers or (message.parsed and scope.unreadable(str(message.parsed.next))):
            continue
        newest = _newest(scope) if newest is None else newest
        if message.parsed and newest[message.parsed.first] > message.parsed.version:
            continue  # predecessor-not-superseded says so
        text = f"'{message.urn}' is deprecated without a successor, and {_listed(consumers)} still consumes it"
        fix = f"supersedes: {message.urn}, in the message that replaces it"
        yield Problem(text, message.source, ("status",), fix=fix, urn=message.urn)


def _newest(scope: Scope) -> dict[Urn, int]:
    newest: dict[Urn, int] = {}
    for message in scope.registry.messages:
        if message.parsed:
            first = message.parsed.first
            newest[first] = max(newest.get(first, 0), message.parsed.version)
    return newest


def _listed(names: tuple[str, ...]) -> str:
    return f"'{names[0]}'" if len(names) == 1 else f"'{names[0]}' (with {len(names) - 1} more)"
