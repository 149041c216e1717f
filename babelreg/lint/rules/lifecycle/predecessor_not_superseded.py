"""A version that does not supersede the version before it.

`supersedes` links the new version to the old one: the documentation uses it to name the replacement, and `upcast` to
convert old data. The number in the URN alone does neither.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: orders/created.v2.yaml
    urn: urn:babel:orders:created.v2

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: orders/created.v2.yaml
    urn: urn:babel:orders:created.v2
    supersedes: urn:babel:orders:created

Fix::

    Paste the line that the finding offers. If the message replaces yet another one, let the version before supersede
    that one: a chain has one step per version.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    known = scope.registry.by_urn
    for message in scope.messages:
        previous_urn = message.parsed.previous if message.parsed else None
        previous = known.get(str(previous_urn)) if previous_urn else None
        if previous is None or message.status == "retired" or previous.status == "retired":
            continue
        superseded = message.supersedes
        if (
            superseded == previous.urn
            or superseded == message.urn
            or (superseded is not None and superseded not in known)
        ):
            continue  # correct, or reported by supersedes-unknown
        clause = f"supersedes '{superseded}' instead of" if superseded else "does not say that it supersedes"
        text = f"'{message.urn}' {clause} the version before it, '{previous.urn}'"
        there = previous.source.place(("urn",))
        fix = f"supersedes: {previous.urn}"
        yield Problem(text, message.source, ("supersedes",), fix=fix, urn=message.urn, against=there)
