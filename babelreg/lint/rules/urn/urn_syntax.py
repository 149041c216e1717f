"""A URN that does not follow urn:babel:<context>:<name>[.vN].

The URN is the only thing a consumer routes by, in six languages, so every character counts. A context is
written with a-z, 0-9 and hyphens. A name is one or more sub-parts joined by single dots; a sub-part starts with
a letter or a digit and goes on with a-z, 0-9, `_` and `-`. A version comes last and once, and is 2 or more:
the first version has no suffix.

Bad::

    urn: urn:babel:orders:invoice..requested

Good::

    urn: urn:babel:orders:invoice.requested

Fix::

    Paste the line that the finding offers, and change producers and consumers along with it: a URN that was sent
    under the wrong spelling is another message to them.
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
        if wrong and wrong.fault == "syntax":
            text = f"'{message.urn}' is not a URN: {wrong.problem}"
            fix = f"urn: {wrong.meant or 'urn:babel:<context>:<name>, for example urn:babel:orders:created'}"
            yield Problem(text, message.source, ("urn",), offset=wrong.offset, fix=fix, urn=message.urn)
