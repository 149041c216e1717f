"""Two files that declare the same URN, or URNs that differ only in case.

One URN is one message with one meaning and one schema. With two files the tools would have to choose, and two
teams would each believe in their own. A tombstone keeps its URN for good: no other file may declare it.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: orders/placed.yaml
    urn: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: orders/placed.yaml
    urn: urn:babel:orders:placed

Fix::

    If both files mean one message, merge them. If they mean two, give the one that was never sent another URN.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Message

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    first: dict[str, Message] = {}
    for message in scope.registry.messages:
        other = first.setdefault(message.urn.lower(), message)
        if other is not message:
            yield _problem(scope, other, message)


def _problem(scope: Scope, other: Message, message: Message) -> Problem:
    retired = [m for m in (other, message) if m.status == "retired"]
    if len(retired) == 1:
        (gone,) = retired
        living = message if gone is other else other
        text = f"'{living.urn}' was retired ({gone.source.path}), and a retired URN is never used again"
        fix = "give the message another URN"
        there = gone.source.place(("urn",))
        return Problem(text, living.source, ("urn",), fix=fix, urn=living.urn, against=there)
    same = "is" if other.urn == message.urn else f"differs only in capitals from '{other.urn}', which is"
    text = f"'{message.urn}' {same} declared in {other.source.path} already"
    fix = f"give one of them another URN, or remove one: git rm {shlex.quote(scope.path_to_paste(message.source.path))}"
    there = other.source.place(("urn",))
    return Problem(text, message.source, ("urn",), fix=fix, urn=message.urn, against=there)
