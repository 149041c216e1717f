"""An optional field that each of at least 100 objects has.

Consumers have to handle its absence, which never occurs. If the producers intend to send it always, the schema can
guarantee it, and the field always has a value in generated code.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      properties:
        order_id: {type: integer}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {order_id: 1}, times: 150}

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      required: [order_id]
      properties:
        order_id: {type: integer}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {order_id: 1}, times: 150}

Fix::

    Agree with the producers, and add the name to `required`. `babelreg breaking` lists the producers that would then
    have to send it.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.analysis.drift.rules.rule import Drift, DriftScope, in_schema
from babelreg.finding import Severity
from babelreg.model.coverage import ALWAYS, class_of

severity = Severity.INFO


def check(scope: DriftScope) -> Iterator[Drift]:
    for each in scope.judged:
        message = each.message
        for field, traffic in each.fields:
            if traffic is None or each.is_required(field):
                continue
            if class_of(traffic.present, traffic.holders) == ALWAYS:
                said = f"'{field.path}' is optional but always sent: {traffic.present:,} of {traffic.holders:,}"
                fix = f"agree with {scope.senders(message)} and add '{field.name}' to `required`"
                yield in_schema(message, field.pointer, said, fix, key=True)
