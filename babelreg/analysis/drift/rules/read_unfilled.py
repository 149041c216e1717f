"""A field that a consumer reads but no message has.

The consumer waits for a value that is never sent. In addition, every change of a field in `reads` concerns this
consumer.

Bad::

    # file: _services/billing-worker.yaml
    consumes: [{urn: "urn:babel:orders:created", reads: [coupon]}]
    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      properties:
        coupon: {type: string}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {}, times: 150}

Good::

    # file: _services/billing-worker.yaml
    consumes: [{urn: "urn:babel:orders:created", reads: [coupon]}]
    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      properties:
        coupon: {type: string}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {}, times: 150}
    - {urn: "urn:babel:orders:created", data: {coupon: SPRING}}

Fix::

    Ask the producers to send it, or remove it from `reads` and from the consumer's code.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.analysis.drift.rules.rule import Drift, DriftScope, in_service
from babelreg.finding import Severity
from babelreg.model.coverage import ENOUGH

severity = Severity.WARNING


def check(scope: DriftScope) -> Iterator[Drift]:
    for each in scope.judged:
        for service, index, consumption in scope.consumptions(each.message.urn):
            for number, path in enumerate(consumption.reads):
                absent = each.absent(path)
                if absent is None or absent.holders < ENOUGH or absent.present:
                    continue
                said = f"'{service.name}' reads '{path}', which nothing fills: 0 of {absent.holders:,}"
                fix = f"ask {scope.senders(each.message)} to send it, or remove it from `reads`"
                yield in_service(service, ("consumes", index, "reads", number), said, fix, each.message.urn)
