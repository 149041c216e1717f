"""A class name instead of a URN.

A class name ties every consumer to the producer's code: rename or move the class and the message is lost, and
no other language can make sense of it. The URN names what happened or what is to be done, in words of the
business.

Bad::

    urn: App\\Jobs\\ProcessOrder

Good::

    urn: urn:babel:orders:order.process
    kind: command

Fix::

    Map the class to a URN in the service and declare the URN here. Messages with the class name that still wait in
    a queue have to be drained first.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.naming.urn_spelling import misspelling
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        wrong = misspelling(message.urn, message.source.path)
        if wrong and wrong.fault == "class-name":
            fix = f"urn: {wrong.meant or f'urn:babel:{message.context}:<what happened>'}"
            yield Problem(wrong.problem, message.source, ("urn",), offset=wrong.offset, fix=fix, urn=message.urn)
