"""A URN with upper-case letters.

URNs are compared byte for byte: `urn:babel:Orders:created` and `urn:babel:orders:created` are two messages to a
consumer and one to a human reader. Capitals also cause collisions on case-insensitive file systems.

Bad::

    urn: urn:babel:orders:Created

Good::

    urn: urn:babel:orders:created

Fix::

    Write it in lower case, here and in every producer and consumer; they compare byte for byte. While some still
    send the old spelling, consumers have to register both.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.naming.urn_spelling import misspelling
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        wrong = misspelling(message.urn, message.source.path)
        if wrong and wrong.fault == "uppercase":
            text = f"'{message.urn}' has upper-case letters"
            fix = f"urn: {wrong.meant}"
            yield Problem(text, message.source, ("urn",), offset=wrong.offset, fix=fix, urn=message.urn)
