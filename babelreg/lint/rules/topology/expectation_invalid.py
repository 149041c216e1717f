"""A consumer expectation that is no valid JSON Schema, or refers to other schemas.

`expects` has a JSON Schema for each path. It is compared with what producers may send, so it must be valid. A `$ref`
would refer to the message's schema, which changes with the message: the consumer would then expect whatever the
producer decides.

Bad::

    # file: _services/billing-worker.yaml
    owner: team-billing
    consumes:
      - urn: urn:babel:orders:created
        expects:
          currency: {type: strin}

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        currency: {type: string}
    # file: _services/billing-worker.yaml
    owner: team-billing
    consumes:
      - urn: urn:babel:orders:created
        expects:
          currency: {type: string}

Fix::

    Correct the schema; instead of a `$ref`, write out the part that the consumer relies on.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.expected_values import references
from babelreg.lint.schema.metaschema import schema_faults
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    for service in scope.registry.services.values():
        for index, consumption in enumerate(service.consumes):
            for expectation in consumption.expects:
                at = ("consumes", index, "expects", expectation.path)
                about = f"the expectation of '{service.name}' on '{expectation.path}'"
                referring = next(references(expectation.schema), None)
                if referring is not None:
                    text = f"{about} has a '{referring[-1]}'"
                    fix = "write out the part that the service relies on"
                    yield Problem(text, service.source, (*at, *referring), key=True, fix=fix, urn=consumption.urn)
                    continue
                for fault in schema_faults(expectation.schema):
                    text = f"{about} is not valid: {fault.message}"
                    yield Problem(text, service.source, (*at, *fault.pointer), fix=fault.fix, urn=consumption.urn)
