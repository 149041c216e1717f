"""A folder of messages without a _context.yaml.

The file of a context names the owner of its messages and describes the context. Without it nobody knows whom to ask
before a change, and a typo in a folder name creates a new context by accident.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # no file: orders/_context.yaml

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: orders/_context.yaml
    owner: team-orders

Fix::

    Create the context's `_context.yaml` with its owner, or move the message into the intended context's folder.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    known = scope.registry.contexts
    reported: set[str] = set()
    for message in scope.messages:
        context = message.context
        path = f"{context}/_context.yaml"
        if context in known or context in reported or path in scope.defective:
            continue
        reported.add(context)
        suggestion = scope.nearest(context, known)
        fix = f"create {scope.path_to_paste(path)} with the line 'owner: team-{context}'"
        fix = f"did you mean the context '{suggestion}'? If not, {fix}" if suggestion else fix
        yield Problem(f"the context '{context}' has no {path}", message.source, ("urn",), fix=fix, urn=message.urn)
