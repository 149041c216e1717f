"""A consumer that expects more than the message's schema guarantees.

`expects` declares what a consumer relies on: a JSON Schema for each path. Producers may send anything that the
message's schema allows, and the finding shows one such value that the consumer does not expect. Once the expectation
holds, `breaking` names the consumer when a change breaks it.

Bad::

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
          currency: {enum: [EUR, USD]}

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        currency: {enum: [EUR, USD]}
    # file: _services/billing-worker.yaml
    owner: team-billing
    consumes:
      - urn: urn:babel:orders:created
        expects:
          currency: {enum: [EUR, USD]}

Fix::

    Handle the value in the consumer and widen what it expects. Or agree with the owner of the message that its schema
    promises it; a narrower schema is a breaking change for producers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.expected_values import is_usable
from babelreg.lint.scope import Scope
from babelreg.model import Expectation, Message, Registry, Service
from babelreg.schema.dialects import is_valid_schema

if TYPE_CHECKING:
    from babelreg.containment.expectation import ExpectationVerdict

severity = Severity.WARNING
profile = "standard"

_WIDTH = 60


def check(scope: Scope) -> Iterator[Problem]:
    known = scope.registry.by_urn
    for service in scope.registry.services.values():
        for index, consumption in enumerate(service.consumes):
            message = known.get(consumption.urn)
            if message is None or message.status == "retired" or not consumption.expects:
                continue
            for expectation in consumption.expects:
                if is_valid_schema(message.schema) and is_usable(expectation.schema):
                    at = ("consumes", index, "expects", expectation.path)
                    yield from _problem(scope.registry, service, message, expectation, at)


def _problem(
    registry: Registry, service: Service, message: Message, expectation: Expectation, at: tuple[str | int, ...]
) -> Iterator[Problem]:
    from babelreg.containment.expectation import expectation_verdict

    reader: Any = registry.compatibility(message.context).reader
    found = expectation_verdict(message.schema, expectation.path, expectation.schema, reader=reader)
    if found.holds:
        return
    expected = f"'{service.name}' expects {_short(expectation.schema)} of '{expectation.path}'"
    there = message.source.place(("data",))
    if found.witness is None:
        text = (
            f"{expected}, but it is undecidable whether producers of {message.urn} satisfy it ({found.verdict.reason})"
        )
        fix = "write the expectation with fewer combined keywords, or state it in the message's schema"
    else:
        senders = ", ".join(message.producers) or f"producers of {message.urn}"
        text = f"{expected}; {senders} may {_sent(found)}"
        context = registry.contexts.get(message.context)
        owner = message.owner or (context.owner if context else None)
        fix = f"handle it and widen 'expects', or agree with {owner or 'the owner of the message'}"
    yield Problem(text, service.source, at, key=True, fix=fix, urn=message.urn, against=there)


def _sent(found: ExpectationVerdict) -> str:
    from babelreg.containment.fields import field_path

    assert found.witness is not None
    refusal = found.witness.refusal
    if refusal.missing is not None:
        return f"omit '{field_path((*refusal.instance, refusal.missing))}'"
    return f"send {_short(found.value)}"


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
