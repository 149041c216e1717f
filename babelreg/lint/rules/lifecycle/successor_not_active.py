"""A deprecated message whose successor is a draft or retired.

Consumers follow `supersedes` to the message that they should use instead. A draft may still change in any way, and a
retired message is gone, so neither can be used. A chain of deprecated messages is followed to its end.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    status: deprecated
    sunset: 2099-06-30
    # file: orders/created.v2.yaml
    urn: urn:babel:orders:created.v2
    status: draft
    supersedes: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    status: deprecated
    sunset: 2099-06-30
    # file: orders/created.v2.yaml
    urn: urn:babel:orders:created.v2
    status: active
    supersedes: urn:babel:orders:created

Fix::

    Publish the draft first (`status: active`), then deprecate the old message. If the successor is retired, let the
    message that took its place supersede it, or make the old message active again.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Message

severity = Severity.WARNING
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    ends: dict[str, Message] = {}
    for message in scope.messages:
        if message.status == "deprecated":
            end = _end(message, scope, ends)
            if end.status in ("draft", "retired"):
                state = "a draft" if end.status == "draft" else "retired"
                text = f"'{message.urn}' is deprecated, but its successor '{end.urn}' is {state}"
                publish, replace = "status: active there", f"supersedes: {end.urn}, in the message that replaces it"
                fix = publish if end.status == "draft" else replace
                there = end.source.place(("status",))
                yield Problem(text, message.source, ("status",), fix=fix, urn=message.urn, against=there)


def _end(message: Message, scope: Scope, ends: dict[str, Message]) -> Message:
    """Return the last message in the chain of successors of ``message``."""
    visited: dict[str, None] = {}
    current = message
    while current.status == "deprecated" and current.urn not in visited:
        if current.urn in ends:
            current = ends[current.urn]
            break
        visited[current.urn] = None
        current = scope.registry.successor(current.urn) or current
    ends.update(dict.fromkeys(visited, current))
    return current
