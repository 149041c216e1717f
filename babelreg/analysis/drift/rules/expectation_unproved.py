"""An expectation of a consumer that the message's schema does not promise, and that recorded messages kept to.

The traffic is evidence, and no proof: producers may send all that the schema allows. Where the sketch of the traffic
does not decide an expectation, such as the length of a list, that is said.

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

    Agree with the owner of the message that the schema promises it; a narrower schema is a breaking change for
    producers. Or handle other values, and remove the expectation.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.analysis.drift.rules.rule import Drift, DriftScope, in_service
from babelreg.finding import Severity

severity = Severity.INFO


def check(scope: DriftScope) -> Iterator[Drift]:
    for each in scope.unproved:
        fix = f"agree with {scope.owner(each.message)} that the schema promises it, or handle other values"
        if each.evidence is None:
            said = f"{each.stated}: a sketch of the traffic does not decide it"
            fix = f"`{scope.command('impact')}` judges the messages themselves"
        elif each.evidence.failed or not each.evidence.values:
            continue
        else:
            said = f"{each.stated}: held for {each.evidence.values:,} of {each.evidence.values:,} in {scope.days}"
        yield in_service(each.service, each.pointer, said, fix, each.message.urn, key=True)
