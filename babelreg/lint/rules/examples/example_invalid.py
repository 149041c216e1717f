"""An example that a producer could not send.

Examples are checked like the data of producers: an object that lists its properties admits no others, and formats are
asserted. If an example fails, either the schema is wrong or the documentation is misleading.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      required: [order_id]
      properties:
        order_id: {type: integer}
    examples:
      - {order_id: A-1042}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      required: [order_id]
      properties:
        order_id: {type: integer}
    examples:
      - {order_id: 1042}

Fix::

    Find out which of the two is wrong. If producers do send what the example shows, widen the schema; otherwise correct
    the example. A property that only readers should tolerate does not belong in an example.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "minimal"

_MOST = 5  # per example


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        if not message.examples:
            continue
        validator = scope.validator(message)
        for example in message.examples:
            for complaint in validator.complaints(example.data, most=_MOST):
                yield Problem(
                    f"the example is not valid data: {complaint.message}",
                    example.source,
                    example.pointer + complaint.pointer,
                    key=complaint.at_key,
                    fix=complaint.fix,
                    urn=message.urn,
                )
