"""Verdicts of two versions of a registry about one message, which is decoded once.

A message whose schema is equal in both versions, for readers that are equally strict, is validated once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from babelreg.contract import Contract
from babelreg.contract.envelope import Envelope
from babelreg.model import Registry
from babelreg.schema.values import identical

_UNKNOWN = "unknown_urn"

_Check = Callable[[Any], bool]


class JudgedMessage(NamedTuple):
    """A message of ``urn``, and why readers refuse it before and after the change: reasons, or None where they do not.

    ``urn`` is empty for a message that neither version declares.
    """

    urn: str
    before: str | None
    after: str | None


class _Route(NamedTuple):
    """The two validations of the messages of one name; None for a version that does not declare it."""

    urn: str
    before: _Check | None
    after: _Check | None
    shared: bool


class RegistryVersions:
    """The published registry and the present one. Schemas are compiled when their first message arrives.

    A message has the URN that it has in the published registry, or else in the present one.
    """

    def __init__(self, before: Registry, after: Registry) -> None:
        self.before = before
        self.after = after
        self._contracts = _contract(before), _contract(after)
        self._producers: Contract | None = None
        self._routes: dict[str, _Route] = {}

    def judge(self, envelope: Envelope) -> JudgedMessage:
        """Return the verdicts on a message. Raises SchemaError where the schema of its URN cannot be used."""
        name, data = envelope.urn, envelope.data
        route = self._routes.get(name) or self._route(name)
        before = self._refusal(0, name, route.before, data)
        after = before if route.shared else self._refusal(1, name, route.after, data)
        return JudgedMessage(route.urn, before, after)

    def refused_before(self, envelope: Envelope) -> str:
        """Return the pointer to what the published registry refuses in a message."""
        contract = self._contracts[0]
        verdict = contract.data_verdict(contract.resolve(envelope.urn), envelope.data)
        return "/job" if verdict.reason == _UNKNOWN else f"/data{verdict.pointer or ''}"

    def may_be_sent(self, envelope: Envelope) -> bool:
        """Return True for a message that producers may send by the published registry, which readers accept anyway."""
        if self._producers is None:
            self._producers = _contract(self.before, side="producer")
        urn = self._producers.resolve(envelope.urn)
        return urn in self.before.schemas and self._producers.data_verdict(urn, envelope.data).ok

    def _refusal(self, version: int, name: str, check: _Check | None, data: Any) -> str | None:
        if check is None:
            return _UNKNOWN
        try:
            if check(data):
                return None
        except (ValueError, TypeError, RecursionError):
            pass  # the violation says so
        contract = self._contracts[version]
        violation = next(contract.violations(contract.resolve(name), data), None)
        return "not_checkable" if violation is None else violation.reason

    def _route(self, name: str) -> _Route:
        old, new = (contract.resolve(name) for contract in self._contracts)
        before, after = self._check(0, old), self._check(1, new)
        urn = old if before is not None else new if after is not None else ""
        route = _Route(urn, before, after, shared=old == new and self._is_unchanged(old))
        if urn:  # names that nobody declares are not bounded
            self._routes[name] = route
        return route

    def _check(self, version: int, urn: str) -> _Check | None:
        declares = urn in (self.before, self.after)[version].schemas
        return self._contracts[version].validator(urn).is_valid if declares else None

    def _is_unchanged(self, urn: str) -> bool:
        old, new = self.before.by_urn.get(urn), self.after.by_urn.get(urn)
        if old is None or new is None:
            return old is new
        readers = {self.before.compatibility(old.context).reader, self.after.compatibility(new.context).reader}
        return len(readers) == 1 and identical(old.schema, new.schema)


def _contract(registry: Registry, side: str = "reader") -> Contract:
    strict = [each.urn for each in registry.messages if registry.compatibility(each.context).reader == "strict"]
    return Contract(registry.schemas, strict=strict, aliases=registry.aliases, side=side)
