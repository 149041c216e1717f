"""One team under two spellings.

Tools identify a team by the owner's name: whom to ask, whose messages these are, whether a producer belongs to another
team. To them, `team-orders` and `Team Orders` are two teams. The rule reports names that differ only in capitals,
separators or a plural; the most frequent one counts as correct.

Bad::

    # file: orders/_context.yaml
    owner: team-orders
    # file: _services/orders-api.yaml
    owner: Team Orders
    # file: orders/created.yaml
    urn: urn:babel:orders:created

Good::

    # file: orders/_context.yaml
    owner: team-orders
    # file: _services/orders-api.yaml
    owner: team-orders
    # file: orders/created.yaml
    urn: urn:babel:orders:created

Fix::

    Paste the line that the finding offers. If there are two teams of nearly the same name, waive the finding for
    one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.naming.lookalikes import variants
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Source

severity = Severity.WARNING
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    owned = list(_owned(scope))
    suggestion = variants(Counter(owner for owner, _, _ in owned))
    if not suggestion:
        return
    first = {owner: source for owner, source, _ in reversed(owned)}
    for owner, source, urn in owned:
        if owner in suggestion:
            other = first[suggestion[owner]]
            text = f"the owner '{owner}' is '{suggestion[owner]}' in {other.path}"
            there = other.place(("owner",))
            yield Problem(text, source, ("owner",), fix=f"owner: {suggestion[owner]}", urn=urn, against=there)


def _owned(scope: Scope) -> Iterator[tuple[str, Source, str | None]]:
    contexts = scope.registry.contexts
    for context in contexts.values():
        if context.owner is not None:
            yield context.owner, context.source, None
    for service in scope.registry.services.values():
        if service.owner is not None:
            yield service.owner, service.source, None
    for message in scope.registry.messages:
        around = contexts.get(message.context)
        # a message without an owner has that of its context
        if message.owner is not None and not (around and message.owner == around.owner):
            yield message.owner, message.source, message.urn
