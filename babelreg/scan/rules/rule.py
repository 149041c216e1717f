"""What a rule of scan is: a module with a severity and a ``check``, whose docstring is its page in the manual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from babelreg.finding import Severity
from babelreg.model import Message, Registry
from babelreg.scan.use import UrnUse

__all__ = ["Declared", "ScanRule", "UsageProblem"]


@dataclass(frozen=True)
class Declared:
    """What the registry declares. ``service`` is the one whose code is looked at; None where that is not known."""

    registry: Registry
    service: str | None = None

    @cached_property
    def urns(self) -> Sequence[str]:
        """Every URN that may be used, sorted."""
        return sorted(urn for urn, message in self.registry.by_urn.items() if message.status != "retired")

    def message(self, use: UrnUse) -> Message | None:
        """The message that ``use`` names, exactly as written."""
        return self.registry.by_urn.get(use.urn)

    def roles(self, urn: str) -> frozenset[str]:
        """What the service is declared to do with ``urn``: produces, consumes, both or nothing."""
        message = self.registry.by_urn.get(urn)
        found = set()
        if message and self.service in message.producers:
            found.add("produces")
        if self.service in self.registry.consumers(urn):
            found.add("consumes")
        return frozenset(found)


@dataclass(frozen=True, slots=True)
class UsageProblem:
    """What a rule has to say of one use. ``fix`` is a line that can be pasted or followed."""

    message: str
    fix: str | None = None


class ScanRule(Protocol):
    """A module of ``scan/rules/``. Its docstring is laid out as a page of the manual; its blocks are Python."""

    severity: Severity

    def check(self, use: UrnUse, declared: Declared) -> UsageProblem | None:
        """What is wrong with ``use``, or None. Doubt is no problem."""
        ...
