"""A consumer expectation was removed or changed together with its message.

The author of a change could also delete the line that protects a consumer. The finding says whether the change breaks
the old expectation; the consumer's owner should know about it.

Bad::

    # before
    data:
      type: object
      properties:
        currency: {enum: [EUR, USD], x-open-enum: true}
    # after
    data:
      type: object
      properties:
        currency: {enum: [EUR, USD, GBP], x-open-enum: true}
    # _services/billing-worker.yaml before
    owner: team-billing
    consumes:
      - urn: urn:babel:orders:created
        expects: {currency: {enum: [EUR, USD]}}
    # _services/billing-worker.yaml
    owner: team-billing
    consumes:
      - urn: urn:babel:orders:created

Good::

    # before
    data:
      type: object
      properties:
        currency: {enum: [EUR, USD]}
    # after
    data:
      type: object
      properties:
        currency: {enum: [EUR, USD]}
        note: {type: string}
    # _services/billing-worker.yaml
    owner: team-billing
    consumes:
      - urn: urn:babel:orders:created
        expects: {currency: {enum: [EUR, USD]}}

Fix::

    Ask the owner of the consumer. If the consumer handles the new values, do nothing.
"""

from __future__ import annotations

from babelreg.finding import Severity

severity = Severity.INFO
