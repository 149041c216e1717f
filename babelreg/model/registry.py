"""A registry: contexts, services, fragments and messages, as one value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from babelreg.finding import Finding
from babelreg.model.bounded_context import BoundedContext
from babelreg.model.message import Message
from babelreg.model.service import Expectation, Service
from babelreg.model.settings import Compatibility, Settings
from babelreg.model.source import Source
from babelreg.model.waiver import Remark

if TYPE_CHECKING:
    from babelreg.model.coverage import Coverage


class Fragment(NamedTuple):
    """A shared JSON Schema below ``_common/``, as written."""

    source: Source
    schema: Any


class PlainSchemas(NamedTuple):
    """A folder of schemas in place of a registry. ``renamed`` has the present name of a schema by the published one."""

    renamed: Mapping[str, str] = {}


@dataclass(frozen=True)
class Registry:
    """All that could be read of a registry; ``defects`` are the findings about the rest.

    ``root`` is the registry folder as the user named it. ``messages`` are in the order of their paths. A message
    whose file is not a mapping with a ``urn`` is missing here and is a defect. ``remarks`` are the comments for
    babelreg. ``files`` are the paths of all files that belong to it, those of examples and of shared schemas included.

    ``coverage`` is that of the file which the settings name, None without one.

    With ``plain`` it is no registry, but a folder of schemas: each is a message, with its path in place of a URN.
    """

    root: str
    settings: Settings = field(default_factory=Settings)
    contexts: Mapping[str, BoundedContext] = field(default_factory=dict)
    services: Mapping[str, Service] = field(default_factory=dict)
    fragments: Mapping[str, Fragment] = field(default_factory=dict)
    messages: tuple[Message, ...] = ()
    defects: tuple[Finding, ...] = ()
    remarks: tuple[Remark, ...] = ()
    files: frozenset[str] = frozenset()
    plain: PlainSchemas | None = None
    coverage: Coverage | None = None

    @cached_property
    def by_urn(self) -> Mapping[str, Message]:
        """The messages by URN; where two claim one URN, the first by path."""
        result: dict[str, Message] = {}
        for message in self.messages:
            result.setdefault(message.urn, message)
        return result

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """The URN by alias. A declared URN is never an alias; where two messages claim one, the first by path."""
        result: dict[str, str] = {}
        for message in self.messages:
            for alias in message.aliases:
                if alias not in self.by_urn:
                    result.setdefault(alias, message.urn)
        return result

    def resolve(self, name: str) -> str:
        """Return the URN of the message that is sent as ``name``, a URN or an alias; an unknown name as it is."""
        return self.aliases.get(name, name)

    def names(self, urns: Iterable[str]) -> frozenset[str]:
        """Return the names under which the messages of ``urns`` are sent: these and their aliases."""
        wanted = frozenset(urns)
        return wanted.union(alias for alias, urn in self.aliases.items() if urn in wanted)

    @cached_property
    def by_name(self) -> Mapping[str, Message]:
        """The messages by every name under which they are sent: the URN and the aliases."""
        return {**self.by_urn, **{alias: self.by_urn[urn] for alias, urn in self.aliases.items()}}

    @cached_property
    def schemas(self) -> Mapping[str, dict[str, Any]]:
        """``{urn: bundled schema}`` of every message that has one: what ``contract`` takes."""
        return {urn: message.schema for urn, message in self.by_urn.items() if message.schema is not None}

    @cached_property
    def _consumers(self) -> Mapping[str, tuple[str, ...]]:
        result: dict[str, dict[str, None]] = {m.urn: dict.fromkeys(m.declared_consumers) for m in self.messages}
        for service in self.services.values():
            for consumption in service.consumes:
                result.setdefault(consumption.urn, {})[service.name] = None
        return {urn: tuple(sorted(names)) for urn, names in result.items()}

    def consumers(self, urn: str) -> tuple[str, ...]:
        """Return the names of all services that consume ``urn``, declared in its file or in theirs, sorted."""
        return self._consumers.get(urn, ())

    def inbox(self, service: str, urn: str) -> str | None:
        """Return the queue that ``service`` names for ``urn`` below ``consumes``; None without one."""
        return self._inboxes.get((service, urn))

    @cached_property
    def _inboxes(self) -> Mapping[tuple[str, str], str]:
        result: dict[tuple[str, str], str] = {}
        for name, service in self.services.items():
            for consumption in service.consumes:
                if consumption.queue:
                    result.setdefault((name, consumption.urn), consumption.queue)
        return result

    @cached_property
    def expectations(self) -> Mapping[str, Mapping[str, Mapping[str, Expectation]]]:
        """What consumers expect, by URN, service and path."""
        result: dict[str, dict[str, dict[str, Expectation]]] = {}
        for name, service in sorted(self.services.items()):
            for consumption in service.consumes:
                for each in consumption.expects:
                    result.setdefault(consumption.urn, {}).setdefault(name, {})[each.path] = each
        return result

    def successor(self, urn: str) -> Message | None:
        """Return the message that supersedes ``urn``, or None. The reverse of ``supersedes``."""
        return self._successors.get(urn)

    @cached_property
    def _successors(self) -> Mapping[str, Message]:
        return {message.supersedes: message for message in self.messages if message.supersedes}

    def compatibility(self, context: str) -> Compatibility:
        """Return the compatibility of ``context``: its own, else that of the registry."""
        declared = self.contexts.get(context)
        own = declared.compatibility if declared else None
        return own or self.settings.compatibility
