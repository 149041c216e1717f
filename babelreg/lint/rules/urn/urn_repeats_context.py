"""A URN whose name repeats the context.

The context is part of the URN already: `urn:babel:orders:orders.created` says nothing that `urn:babel:orders:created`
does not, and nobody remembers which of the two it was. The rule reports only the exact word; `order.created` in
`orders` is fine.

Bad::

    urn: urn:babel:orders:orders.created

Good::

    urn: urn:babel:orders:created

Fix::

    Rename a draft. A name that is published cannot be changed: waive the finding for it, and leave the word out of
    the next message.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "strict"


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        urn = message.parsed
        if urn is None or message.status == "retired" or not urn.name.startswith(urn.context):
            continue
        rest = urn.name[len(urn.context) :]
        if rest[:1] in (".", "-", "_") and len(rest) > 1:
            text = f"'{urn.name}' repeats the context '{urn.context}'"
            at = message.urn.index(":", len("urn:babel:")) + 1
            fix = f"urn: {message.urn[:at]}{message.urn[at + len(urn.context) + 1 :]}"
            yield Problem(text, message.source, ("urn",), offset=at, fix=fix, urn=message.urn)
