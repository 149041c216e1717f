"""An expectation of a consumer that held for the published message, and no longer holds.

A consumer says under `expects` what it relies on. The shared rules may be content, as with a new member of an open
enumeration; this consumer is not. An expectation counts if it stands in both registries and held before.

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
    # _services/billing-worker.yaml
    owner: team-billing
    consumes:
      - urn: urn:babel:orders:created
        expects: {currency: {enum: [EUR, USD]}}

Good::

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
    # _services/billing-worker.yaml
    owner: team-billing
    consumes:
      - urn: urn:babel:orders:created
        expects: {currency: {enum: [EUR, USD, GBP]}}

Fix::

    Have the consumer handle the value and widen what it expects, before producers send it. Or mint the next version.
"""

from __future__ import annotations

from babelreg.finding import Severity

severity = Severity.ERROR
