"""An expectation on a path where no message has a value.

The expectation is satisfied because there are no values to check. To expect that a field is present, use `required` on
its parent.

Bad::

    # file: _services/billing-worker.yaml
    consumes: [{urn: "urn:babel:orders:created", expects: {currency: {enum: [EUR]}}}]
    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      properties:
        currency: {enum: [EUR]}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {}, times: 150}

Good::

    # file: _services/billing-worker.yaml
    consumes: [{urn: "urn:babel:orders:created", expects: {currency: {enum: [EUR]}}}]
    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      properties:
        currency: {enum: [EUR]}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {currency: EUR}, times: 150}

Fix::

    Ask the producers to send the field, or remove the path from `expects`.
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
            for expectation in consumption.expects:
                absent = each.absent(expectation.path)
                if absent is None or absent.holders < ENOUGH or absent.present:
                    continue
                path = expectation.path
                said = f"'{service.name}' has an expectation on '{path}', which nothing fills: 0 of {absent.holders:,}"
                fix = f"ask {scope.senders(each.message)} to send it, or remove the path from `expects`"
                at = ("consumes", index, "expects", path)
                yield in_service(service, at, said, fix, each.message.urn, key=True)
