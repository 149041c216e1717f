"""Expectations of consumers that a message's schema does not guarantee, with the evidence of its traffic."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from babelreg.analysis.drift.expectation_evidence import SketchEvidence, evidence
from babelreg.analysis.drift.message_traffic import MessageTraffic
from babelreg.model import Expectation, Message, Registry, Service
from babelreg.schema.dialects import is_valid_schema
from babelreg.schema.pointer import Pointer

_WIDTH = 60


@dataclass(frozen=True, slots=True)
class UnprovedExpectation:
    """An expectation of ``service`` in the entry ``index`` of its file.

    ``evidence`` is None where the sketch does not decide it.
    """

    message: Message
    service: Service
    index: int
    expectation: Expectation
    evidence: SketchEvidence | None

    @property
    def pointer(self) -> Pointer:
        """The pointer to the expectation in the file of the service."""
        return "consumes", self.index, "expects", self.expectation.path

    @property
    def stated(self) -> str:
        """The expectation as a phrase."""
        schema = json.dumps(self.expectation.schema, ensure_ascii=False)
        shown = schema if len(schema) <= _WIDTH else f"{schema[: _WIDTH - 1]}…"
        return (
            f"'{self.service.name}' expects {shown} of '{self.expectation.path}', which the schema does not guarantee"
        )


def unproved_expectations(registry: Registry, traffic: MessageTraffic) -> Iterator[UnprovedExpectation]:
    """Yield the expectations of one message that are not proved. The prover is loaded if there are any."""
    message = traffic.message
    for _, service in sorted(registry.services.items()):
        for index, consumption in enumerate(service.consumes):
            if consumption.urn != message.urn:
                continue
            for expectation in consumption.expects:
                if is_valid_schema(expectation.schema) and not _is_proved(registry, message, expectation):
                    yield UnprovedExpectation(message, service, index, expectation, _evidence(traffic, expectation))


def _is_proved(registry: Registry, message: Message, expectation: Expectation) -> bool:
    from babelreg.containment.expectation import expectation_verdict

    reader: Any = registry.compatibility(message.context).reader
    return expectation_verdict(message.schema, expectation.path, expectation.schema, reader=reader).holds


def _evidence(traffic: MessageTraffic, expectation: Expectation) -> SketchEvidence | None:
    found = traffic.at_path(expectation.path)
    if found is None:
        return None
    return SketchEvidence(0, 0) if found.values is None else evidence(found.values, expectation.schema)
