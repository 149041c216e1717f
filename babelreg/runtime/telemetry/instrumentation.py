"""Instrumentation of all producers and consumers in a process, such as OpenTelemetry, and what they ask of it.

Copies of the runtime share what is installed, so it is installed once, whatever the number of generated packages. While
there is none, the cost for each message is the test of an empty list.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Protocol

from babelqueue.transport import ReceivedMessage, Transport

from babelreg.runtime.outcome import Outcome
from babelreg.runtime.process_wide import process_wide
from babelreg.runtime.telemetry.message_facts import Incoming, Outgoing


class Processing(Protocol):
    """The handling of one delivery, under observation. It ends once, by ``finish`` or ``abort``, in any thread."""

    def current(self) -> AbstractContextManager[object]:
        """Make this the parent of what is recorded within the block, in this thread or task."""
        ...

    def finish(self, outcome: Outcome, seconds: float) -> None:
        """Record the outcome of the delivery, whose processing took ``seconds``."""
        ...

    def abort(self, error: BaseException) -> None:
        """Record that ``error`` stops the consumer, or cancelled the handler."""
        ...


class Instrumentation(Protocol):
    """An observer of messages. Its context managers enclose the work and let exceptions pass."""

    def begin(self, delivery: Incoming, transport: Transport, seconds_ago: float = 0.0) -> Processing:
        """Begin to observe the handling of a delivery, which started ``seconds_ago``."""
        ...

    def sending(self, message: Outgoing, transport: Transport) -> AbstractContextManager[None]:
        """Enclose the sending of one message; may add to ``message.headers``."""
        ...

    def creating(self, message: Outgoing, transport: Transport) -> AbstractContextManager[None]:
        """Enclose writing one message to an outbox; may add to ``message.headers``."""
        ...

    def left_out(self, message: Outgoing, transport: Transport) -> None:
        """Receive that the headers that were added are left out, because they cannot travel with the message."""
        ...

    def refused(self, urn: str, queue: str, reason: str, transport: Transport) -> None:
        """Receive that a message violated its contract, and was not sent unless that is only reported."""
        ...


_installed: list[Instrumentation] = process_wide("instrumentation", list)


def installed() -> Sequence[Instrumentation]:
    """Return what is installed, in order."""
    return _installed


def install(instrumentation: Instrumentation) -> None:
    """Add ``instrumentation`` for all producers and consumers, those that exist included."""
    if instrumentation not in _installed:
        _installed.append(instrumentation)


def uninstall(instrumentation: Instrumentation) -> None:
    """Remove ``instrumentation``, if it is installed."""
    if instrumentation in _installed:
        _installed.remove(instrumentation)


class Observation:
    """The handling of one delivery, as all that is installed observes it. ``delivery`` are the facts on it."""

    def __init__(
        self, received: ReceivedMessage, known_urns: Container[str], transport: Transport, seconds_ago: float = 0.0
    ) -> None:
        self.delivery = Incoming.of(received, known_urns)
        self._processings = [one.begin(self.delivery, transport, seconds_ago) for one in installed()]

    def current(self) -> AbstractContextManager[None]:
        """Make this the parent of what is recorded within the block, in this thread or task."""
        return all_of(processing.current() for processing in self._processings)

    def finish(self, outcome: Outcome, seconds: float) -> None:
        """Record the outcome."""
        for processing in self._processings:
            processing.finish(outcome, seconds)

    def abort(self, error: BaseException) -> None:
        """Record that the handler was interrupted by ``error``."""
        for processing in self._processings:
            processing.abort(error)


@contextmanager
def all_of(contexts: Iterable[AbstractContextManager[object]]) -> Iterator[None]:
    """Enter ``contexts``, each made within those before it."""
    with ExitStack() as stack:
        for context in contexts:
            stack.enter_context(context)
        yield
