"""An expectation of a consumer that recorded messages violate.

The message's schema does not guarantee it, and the traffic has values that violate it. The finding counts values; if
several keywords refuse values, the count is a lower bound.

Bad::

    # file: _services/billing-worker.yaml
    consumes: [{urn: "urn:babel:orders:created", expects: {currency: {enum: [EUR]}}}]
    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      required: [currency]
      properties:
        currency: {type: string}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {currency: EUR}, times: 40}
    - {urn: "urn:babel:orders:created", data: {currency: GBP}}

Good::

    # file: _services/billing-worker.yaml
    consumes: [{urn: "urn:babel:orders:created", expects: {currency: {enum: [EUR, GBP]}}}]
    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      required: [currency]
      properties:
        currency: {enum: [EUR, GBP]}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {currency: EUR}, times: 40}
    - {urn: "urn:babel:orders:created", data: {currency: GBP}}

Fix::

    Handle the values in the consumer and widen its expectation. Or agree with the producers that they do not send them,
    and restrict the schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.analysis.drift.rules.rule import Drift, DriftScope, in_service
from babelreg.finding import Severity

severity = Severity.WARNING


def check(scope: DriftScope) -> Iterator[Drift]:
    for each in scope.unproved:
        if each.evidence is None or not each.evidence.failed:
            continue
        least = "" if each.evidence.exact else "at least "
        said = f"{each.stated}: failed for {least}{each.evidence.failed:,} of {each.evidence.values:,} in {scope.days}"
        fix = f"handle them and widen `expects`, or agree with {scope.senders(each.message)} to send no such value"
        yield in_service(each.service, each.pointer, said, fix, each.message.urn, key=True)
