"""Interface of a rule of drift: a module with a severity and a ``check``, whose docstring is its page in the manual."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from babelreg.analysis.drift.message_traffic import MessageTraffic
from babelreg.analysis.drift.unproved_expectations import UnprovedExpectation, unproved_expectations
from babelreg.analysis.infer.message_names import RecordedMessages
from babelreg.analysis.sketch.traffic_sketch import MessageSketch
from babelreg.finding import Place, Severity
from babelreg.model import Consumption, Message, Registry, Service
from babelreg.model.coverage import ENOUGH, Coverage
from babelreg.plural import counted
from babelreg.schema.pointer import Pointer, text

_IDENTIFIER = re.compile(r"[A-Za-z_$@][A-Za-z0-9_.:/\\$@-]{0,99}\Z")


@dataclass(frozen=True)
class DriftScope:
    """A registry and its recorded traffic.

    ``sent`` are the sketches by the name that was sent, ``recorded`` the same as messages. ``holds_data`` tells whether
    a name may hold data: it is not printed then. ``window_days`` is the length of the traffic. ``arguments`` are
    those by which a command reads the same sources. ``baseline`` is an earlier coverage, where falls are to be found.
    """

    registry: Registry
    sent: Mapping[str, MessageSketch]
    recorded: RecordedMessages
    holds_data: Callable[[str], bool]
    window_days: int
    arguments: Sequence[str] = ()
    baseline: Coverage | None = None

    def is_public(self, name: str) -> bool:
        """Return True for a name that is like an identifier, and no data."""
        return _IDENTIFIER.match(name) is not None and not self.holds_data(name)

    @cached_property
    def messages(self) -> tuple[MessageTraffic, ...]:
        """The published messages, and the drafts that were sent, in the order of their files."""
        every = map(self.traffic, self.registry.by_urn.values())
        return tuple(
            each for each in every if each.message.published or (each.message.status == "draft" and each.count)
        )

    @cached_property
    def judged(self) -> tuple[MessageTraffic, ...]:
        """Those of :attr:`messages` of which enough was sent to say that something is never or always there."""
        return tuple(each for each in self.messages if each.count >= ENOUGH)

    def traffic(self, message: Message) -> MessageTraffic:
        """Return the traffic of ``message``."""
        names = {name: self.sent[name].count for name in (message.urn, *message.aliases) if name in self.sent}
        return MessageTraffic(message, self.recorded.declared.get(message.urn), names)

    def consumptions(self, urn: str) -> Iterator[tuple[Service, int, Consumption]]:
        """Yield the services that declare to consume ``urn``, each with the number of the entry in its file."""
        for _, service in sorted(self.registry.services.items()):
            for index, consumption in enumerate(service.consumes):
                if consumption.urn == urn:
                    yield service, index, consumption

    @cached_property
    def unproved(self) -> tuple[UnprovedExpectation, ...]:
        """The expectations that the schemas do not promise, of messages that were sent."""
        return tuple(
            each for sent in self.messages if sent.count for each in unproved_expectations(self.registry, sent)
        )

    def command(self, name: str) -> str:
        """Return the command line of ``babelreg NAME`` on the same sources."""
        return shlex.join(["babelreg", name, *self.arguments])

    @property
    def days(self) -> str:
        """The length of the window as a phrase."""
        return counted(self.window_days, "day")

    def owner(self, message: Message) -> str:
        """Return the owner of ``message`` as a phrase."""
        return message.owner or "the owner of the message"

    def senders(self, message: Message) -> str:
        """Return the producers of ``message`` as a phrase."""
        return ", ".join(message.producers) or f"producers of {message.urn}"


@dataclass(frozen=True, slots=True)
class Drift:
    """A difference between registry and traffic. ``fix`` is the edit or the command that ends it."""

    message: str
    place: Place
    fix: str
    urn: str | None = None
    pointer: str | None = None
    against: Place | None = None


def in_message(message: Message, pointer: Pointer, said: str, fix: str, *, key: bool = False) -> Drift:
    """Return the difference at ``pointer`` of the file of ``message``."""
    return Drift(said, message.source.place(pointer, key=key), fix, message.urn, text(pointer))


def in_schema(message: Message, pointer: Pointer, said: str, fix: str, *, key: bool = False) -> Drift:
    """Return the difference at ``pointer`` of the bundled schema of ``message``."""
    _, at = message.located(pointer)
    return Drift(said, message.place(pointer, key=key), fix, message.urn, text(at))


def in_service(service: Service, pointer: Pointer, said: str, fix: str, urn: str, *, key: bool = False) -> Drift:
    """Return the difference at ``pointer`` of the file of ``service``."""
    return Drift(said, service.source.place(pointer, key=key), fix, urn, text(pointer))


class DriftRule(Protocol):
    """Interface of a module of ``drift/rules/``. Its docstring is a page of the manual with blocks of YAML."""

    severity: Severity

    def check(self, scope: DriftScope) -> Iterator[Drift]:
        """Yield the differences of one kind; none in doubt."""
        ...
