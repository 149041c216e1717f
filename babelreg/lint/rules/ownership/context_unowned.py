"""A context without an owner.

Every message needs a responsible team, which agrees to changes and is alerted when messages are refused. A message
without an owner belongs to the owner of its context.

Bad::

    # file: orders/_context.yaml
    description: Orders from basket to doorstep.
    # file: orders/created.yaml
    urn: urn:babel:orders:created

Good::

    # file: orders/_context.yaml
    owner: team-orders
    description: Orders from basket to doorstep.
    # file: orders/created.yaml
    urn: urn:babel:orders:created

Fix::

    Add `owner:` to the context's file, even if each message has its own owner: the next message may not.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    touched = {message.context for message in scope.messages}
    for context in scope.registry.contexts.values():
        path = context.source.path
        if context.owner is None and path not in scope.defective and (context.name in touched or scope.wanted(path)):
            text = f"the context '{context.name}' has no owner"
            yield Problem(text, context.source, fix=f"owner: team-{context.name}")
