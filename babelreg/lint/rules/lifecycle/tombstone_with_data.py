"""A tombstone that still has a schema, examples or an upcast.

A tombstone prevents a URN from being reused; everything else is in the history of the file. While its schema remains,
the message is still accepted, but neither documented nor compared.

Bad::

    urn: urn:babel:orders:created
    status: retired
    retired_on: 2026-01-31
    data: {type: object}

Good::

    urn: urn:babel:orders:created
    status: retired
    retired_on: 2026-01-31

Fix::

    Remove the keys that the finding names. Keep `urn`, `status`, `retired_on` and, if you like, the description.
    While old messages are still read from an archive by that schema, waive the finding.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.INFO
profile = "strict"


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        if message.status != "retired":
            continue
        has = {
            "data": message.data is not None,
            "examples": bool(message.examples),
            "counterexamples": bool(message.counterexamples),
            "upcast": bool(message.upcast),
        }
        keys = [key for key, present in has.items() if present]
        if keys:
            text = f"the tombstone of '{message.urn}' still has {', '.join(keys)}"
            yield Problem(text, message.source, (keys[0],), key=True, fix=f"remove {', '.join(keys)}", urn=message.urn)
