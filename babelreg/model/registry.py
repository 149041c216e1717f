"""A registry: contexts, services, fragments and messages, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from babelreg.finding import Finding
from babelreg.model.context import Context
from babelreg.model.message import Message
from babelreg.model.service import Service
from babelreg.model.settings import Compatibility, Settings
from babelreg.model.source import Source
from babelreg.model.waiver import Remark

__all__ = ["Fragment", "Registry"]


@dataclass(frozen=True, slots=True)
class Fragment:
    """A shared JSON Schema below ``_common/``, as written."""

    source: Source
    schema: Any


@dataclass(frozen=True)
class Registry:
    """Everything that could be read, and as ``defects`` all that could not.

    ``root`` is the registry folder as the user named it. ``messages`` stand in the order of their paths. A message
    whose file is no mapping with a ``urn`` is missing here and is a defect. ``remarks`` are the comments that speak to
    babelreg. ``files`` are the paths of all files that belong to it, those of examples and of shared schemas included.
    """

    root: str
    settings: Settings = field(default_factory=Settings)
    contexts: Mapping[str, Context] = field(default_factory=dict)
    services: Mapping[str, Service] = field(default_factory=dict)
    fragments: Mapping[str, Fragment] = field(default_factory=dict)
    messages: tuple[Message, ...] = ()
    defects: tuple[Finding, ...] = ()
    remarks: tuple[Remark, ...] = ()
    files: frozenset[str] = frozenset()

    @cached_property
    def by_urn(self) -> Mapping[str, Message]:
        """The messages by URN; where two claim one URN, the first by path."""
        found: dict[str, Message] = {}
        for message in self.messages:
            found.setdefault(message.urn, message)
        return found

    @cached_property
    def schemas(self) -> Mapping[str, dict[str, Any]]:
        """``{urn: bundled schema}`` of every message that has one: what ``contract`` takes."""
        return {urn: message.schema for urn, message in self.by_urn.items() if message.schema is not None}

    @cached_property
    def _consumers(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, dict[str, None]] = {m.urn: dict.fromkeys(m.declared_consumers) for m in self.messages}
        for service in self.services.values():
            for consumption in service.consumes:
                found.setdefault(consumption.urn, {})[service.name] = None
        return {urn: tuple(sorted(names)) for urn, names in found.items()}

    def consumers(self, urn: str) -> tuple[str, ...]:
        """The names of all services that consume ``urn``, said in its own file or in theirs, sorted."""
        return self._consumers.get(urn, ())

    def successor(self, urn: str) -> Message | None:
        """The message that supersedes ``urn``, or None. The reverse of ``supersedes``."""
        return self._successors.get(urn)

    @cached_property
    def _successors(self) -> Mapping[str, Message]:
        return {message.supersedes: message for message in self.messages if message.supersedes}

    def compatibility(self, context: str) -> Compatibility:
        """The compatibility that holds in ``context``: its own, else the registry's."""
        declared = self.contexts.get(context)
        own = declared.compatibility if declared else None
        return own or self.settings.compatibility
