"""Expectations of a service beyond the contract of its messages, checked before their handlers are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.contract import Contract, Envelope
from babelreg.runtime.validators import require_validators


class Expectations:
    """The expectations of one service by URN.

    Each has a ``schema`` of the data as sent, and perhaps ``on_unexpected: dead_letter`` or ``strict: True``, which
    takes the schema as written. Raises SchemaError for a schema that cannot be used.
    """

    def __init__(self, expected: Mapping[str, Mapping[str, Any]]) -> None:
        schemas = {urn: each["schema"] for urn, each in expected.items()}
        self._contract = Contract(schemas, strict=[urn for urn, each in expected.items() if each.get("strict")])
        self._dead_lettered = {urn for urn, each in expected.items() if each.get("on_unexpected") == "dead_letter"}
        require_validators(self._contract, schemas)

    def unexpected(self, envelope: Envelope) -> str | None:
        """Return how the data of a valid message is outside of what is expected; None where it is not."""
        verdict = self._contract.data_verdict(envelope.urn, envelope.data)
        return None if verdict.reason in (None, "unknown_urn") else f"expectation: {verdict.detail}"

    def refuses(self, urn: str) -> bool:
        """Return True where such a message becomes a dead letter; else it is reported and handled."""
        return urn in self._dead_lettered
