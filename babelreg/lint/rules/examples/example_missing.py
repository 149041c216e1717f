"""A published message without an example.

An example is the fastest way to understand a message, the first thing the documentation shows, and a test of the
schema.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer}
    examples: []

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer}
    examples:
      - {order_id: 1042}

Fix::

    Copy one `data` from a test or a log and replace personal data in it; two or three different ones are better than
    one. Put many into a file: `examples: {file: created.examples.jsonl}`.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        # An unreadable file of examples is a defect of its own.
        if message.published and not message.examples and message.source.path not in scope.defective:
            fix = "examples: [{…}], with one document as it is sent in practice"
            yield Problem(f"'{message.urn}' has no example", message.source, ("examples",), fix=fix, urn=message.urn)
