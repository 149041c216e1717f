"""A counterexample that the schema accepts.

A counterexample shows what must never be sent. If it is valid, the schema is looser than its author believed.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer}
    counterexamples:
      - because: no order number
        data: {}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      required: [order_id]
      properties:
        order_id: {type: integer}
    examples:
      - {order_id: 1042}
    counterexamples:
      - because: no order number
        data: {}

Fix::

    Tighten the schema (`required`, a bound, a pattern) so that it refuses the counterexample. On a published message
    this restricts producers: run `babelreg breaking`, and if it reports a break, remove the counterexample or mint a
    new version.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        if not message.counterexamples:
            continue
        validator = scope.validator(message)
        for example in message.counterexamples:
            if validator.accepts(example.data):
                text = f"the schema accepts this counterexample ({example.because})"
                fix = "make the schema refuse it, or change the document so that it is invalid"
                yield Problem(text, example.source, example.pointer, fix=fix, urn=message.urn)
