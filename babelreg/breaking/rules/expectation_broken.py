"""A consumer expectation that the published message met is no longer met.

A consumer declares under `expects` what it relies on. A change may pass all shared rules, such as a new member of an
open enumeration, and still break this consumer. Only expectations that are in both registries and held before are
compared.

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

    Let the consumer handle the value and widen its expectation before producers send it. Or mint the next version.
"""

from __future__ import annotations

from babelreg.finding import Severity

severity = Severity.ERROR
