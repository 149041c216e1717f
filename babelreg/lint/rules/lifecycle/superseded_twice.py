"""A message that two others supersede.

Tools point a consumer of the old message to one successor. With two, they choose one, and half of the consumers may
move to a message that their producer does not send.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: orders/accepted.yaml
    urn: urn:babel:orders:accepted
    supersedes: urn:babel:orders:created
    # file: orders/placed.yaml
    urn: urn:babel:orders:placed
    supersedes: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: orders/accepted.yaml
    urn: urn:babel:orders:accepted
    supersedes: urn:babel:orders:created
    # file: orders/placed.yaml
    urn: urn:babel:orders:placed
    supersedes: urn:babel:orders:accepted

Fix::

    Keep `supersedes` in the one that most consumers are to move to. If one message is split into two, describe in the
    old one which is for whom.
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
    first: dict[str, Message] = {}
    for message in scope.registry.messages:
        named = message.supersedes
        if named is None or named == message.urn or message.status == "retired" or _skips(message, scope):
            continue
        other = first.setdefault(named, message)
        if other is not message and other.urn != message.urn:
            text = f"'{message.urn}' supersedes '{named}', and so does '{other.urn}'"
            there = other.source.place(("supersedes",))
            fix = "keep 'supersedes' in one of the two"
            yield Problem(text, message.source, ("supersedes",), fix=fix, urn=message.urn, against=there)


def _skips(message: Message, scope: Scope) -> bool:
    """Return True when predecessor-not-superseded reports the message."""
    before = message.parsed.previous if message.parsed else None
    previous = scope.registry.by_urn.get(str(before)) if before else None
    return previous is not None and previous.status != "retired" and message.supersedes != previous.urn
