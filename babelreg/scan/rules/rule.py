"""Interface of a rule of scan: a module with a severity and a ``check``, whose docstring is its page in the manual."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from babelreg.finding import Severity
from babelreg.model import Message, Registry
from babelreg.scan.urn_use import UrnUse


@dataclass(frozen=True)
class ServiceDeclarations:
    """Declarations of the registry. ``service`` is the service whose code is scanned; None if unknown.

    ``tells_kind`` says whether the name of a message tells an event from a command. ``options`` are those by which a
    command finds the registry.
    """

    registry: Registry
    service: str | None = None
    tells_kind: Callable[[str], bool] = lambda name: True
    options: tuple[str, ...] = ()

    @cached_property
    def urns(self) -> Sequence[str]:
        """URNs that may be used, sorted."""
        return sorted(urn for urn, message in self.registry.by_urn.items() if message.status != "retired")

    def message(self, use: UrnUse) -> Message | None:
        """Return the message that ``use`` names, exactly as written, or None."""
        return self.registry.by_urn.get(use.urn)

    def roles(self, urn: str) -> frozenset[str]:
        """Return the declared roles of the service for ``urn``: produces, consumes, both or none."""
        message = self.registry.by_urn.get(urn)
        roles = set()
        if message and self.service in message.producers:
            roles.add("produces")
        if self.service in self.registry.consumers(urn):
            roles.add("consumes")
        return frozenset(roles)


@dataclass(frozen=True, slots=True)
class UsageProblem:
    """Problem with one use of a URN. ``fix`` is a line to paste or an instruction."""

    message: str
    fix: str | None = None


class ScanRule(Protocol):
    """Interface of a module of ``scan/rules/``. Its docstring is a page of the manual with blocks of Python."""

    severity: Severity

    def check(self, use: UrnUse, declared: ServiceDeclarations) -> UsageProblem | None:
        """Return the problem with ``use``, or None; None in doubt."""
        ...
