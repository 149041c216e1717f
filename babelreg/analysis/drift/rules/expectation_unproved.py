"""An expectation of a consumer that the message's schema does not guarantee, but that recorded messages satisfy.

The traffic is evidence, not a proof: producers may send everything that the schema allows. If the sketch of the traffic
cannot decide an expectation, such as one on the length of a list, the finding says so.

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

Good::

    # file: _services/billing-worker.yaml
    consumes: [{urn: "urn:babel:orders:created", expects: {currency: {enum: [EUR]}}}]
    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      required: [currency]
      properties:
        currency: {enum: [EUR]}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {currency: EUR}, times: 40}

Fix::

    Agree with the owner of the message that the schema guarantees it; a narrower schema is a breaking change for
    producers. Or handle other values, and remove the expectation.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.analysis.drift.rules.rule import Drift, DriftScope, in_service
from babelreg.finding import Severity

severity = Severity.INFO


def check(scope: DriftScope) -> Iterator[Drift]:
    for each in scope.unproved:
        fix = f"agree with {scope.owner(each.message)} that the schema guarantees it, or handle other values"
        if each.evidence is None:
            said = f"{each.stated}: a sketch of the traffic cannot decide it"
            fix = f"`{scope.command('impact')}` checks the messages themselves"
        elif each.evidence.failed or not each.evidence.values:
            continue
        else:
            said = f"{each.stated}: satisfied by {each.evidence.values:,} of {each.evidence.values:,} in {scope.days}"
        yield in_service(each.service, each.pointer, said, fix, each.message.urn, key=True)
