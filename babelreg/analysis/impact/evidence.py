"""Evidence for what consumers expect: the recorded messages that satisfy each expectation.

An expectation that a schema does not guarantee may still hold for everything that is sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from babelreg.containment.expectation import expectation_schema, expectation_verdict
from babelreg.containment.validator import SchemaValidator
from babelreg.errors import SchemaError
from babelreg.model import Registry
from babelreg.schema.dialects import identify

_Check = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class VersionExpectation:
    """What a service expects of a message at ``path``, in one version of a registry: 0 the published one, 1 this."""

    version: int
    urn: str
    service: str
    path: str
    schema: Any


def version_expectations(before: Registry, after: Registry) -> list[VersionExpectation]:
    """Return all expectations of both versions, in a stable order."""
    return [
        VersionExpectation(version, urn, service, path, each.schema)
        for version, registry in enumerate((before, after))
        for urn, services in sorted(registry.expectations.items())
        for service, paths in services.items()
        for path, each in paths.items()
        if urn in registry.schemas
    ]


def is_promised(registry: Registry, expectation: VersionExpectation) -> bool:
    """Return True where the schema of the message proves that producers send nothing else."""
    message = registry.by_urn[expectation.urn]
    reader: Any = registry.compatibility(message.context).reader
    return expectation_verdict(message.schema, expectation.path, expectation.schema, reader=reader).holds


class ExpectationEvidence:
    """Counts messages by the expectations that they satisfy, which are told by their numbers."""

    def __init__(self, before: Registry, after: Registry) -> None:
        self.expectations = version_expectations(before, after)
        self._registries = (before, after)
        self._by_urn: dict[str, list[tuple[int, VersionExpectation]]] = {}
        for number, each in enumerate(self.expectations):
            self._by_urn.setdefault(each.urn, []).append((number, each))
        self._checks: dict[int, _Check | None] = {}

    def add(self, urn: str, data: Any, valid: tuple[bool, bool], held: Counter[int], expected: Counter[int]) -> None:
        """Count the ``data`` of a message, by the versions that find it ``valid``."""
        for number, check in self._checked(urn, valid):
            expected[number] += 1
            held[number] += check(data)

    def expects_of(self, urn: str) -> bool:
        """Return True where somebody expects something of the messages of ``urn``."""
        return urn in self._by_urn

    def _checked(self, urn: str, valid: tuple[bool, bool]) -> Iterator[tuple[int, _Check]]:
        for number, each in self._by_urn[urn]:
            if valid[each.version]:
                check = self._check(number, each)
                if check is not None:
                    yield number, check

    def _check(self, number: int, expectation: VersionExpectation) -> _Check | None:
        """Return the validation of whole data; None for an expectation that cannot be used, which lint reports."""
        if number not in self._checks:
            schema = self._registries[expectation.version].schemas[expectation.urn]
            try:
                outer = expectation_schema(schema, expectation.path, expectation.schema)
                self._checks[number] = SchemaValidator(outer, identify(schema), formats=True).accepts
            except SchemaError:
                self._checks[number] = None
        return self._checks[number]
