"""A declared field that no message has, although at least 100 objects could have had it.

It is in code, tables and pages, and a consumer may wait for it. The fields below it are not reported.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      properties:
        order_id: {type: integer}
        coupon: {type: string}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {order_id: 1}, times: 150}

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      properties:
        order_id: {type: integer}
        coupon: {type: string}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {order_id: 1}, times: 149}
    - {urn: "urn:babel:orders:created", data: {order_id: 2, coupon: SPRING}}

Fix::

    Ask the producers whether they will send it. If not, remove it from the next version, which `babelreg mint` creates.
    Removing it from a published version breaks its readers.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from babelreg.analysis.drift.rules.rule import Drift, DriftScope, in_schema
from babelreg.finding import Severity
from babelreg.model.coverage import ENOUGH

severity = Severity.INFO


def check(scope: DriftScope) -> Iterator[Drift]:
    for each in scope.judged:
        message = each.message
        for field, traffic in each.fields:
            if traffic is None or traffic.present or traffic.holders < ENOUGH:
                continue
            said = f"'{field.path}' was never sent: 0 of {traffic.holders:,}"
            mint = f"babelreg mint {shlex.quote(message.urn)}"
            fix = f"ask {scope.senders(message)}; if it is not needed, remove it in a new version: `{mint}`"
            yield in_schema(message, field.pointer, said, fix, key=True)
