"""Observation of messages by what is installed: the one place where producers and consumers meet instrumentation."""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import ExitStack, contextmanager

from babelqueue.transport import ReceivedMessage, Transport

from babelreg.runtime.consumer.outcome import Outcome
from babelreg.runtime.telemetry.instrumentation import installed
from babelreg.runtime.telemetry.message_facts import Incoming, Outgoing

__all__ = ["Observation", "observed_creating", "observed_sending"]


class Observation:
    """The handling of one delivery, as all that is installed observes it. ``delivery`` are the facts on it."""

    def __init__(
        self, received: ReceivedMessage, known_urns: Container[str], transport: Transport, seconds_ago: float = 0.0
    ) -> None:
        self.delivery = Incoming.of(received, known_urns)
        self._processings = [one.begin(self.delivery, transport, seconds_ago) for one in installed()]

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make this the parent of what is recorded within the block, in this thread or task."""
        with ExitStack() as stack:
            for processing in self._processings:
                stack.enter_context(processing.current())
            yield

    def finish(self, outcome: Outcome, seconds: float) -> None:
        """Record the outcome."""
        for processing in self._processings:
            processing.finish(outcome, seconds)

    def abort(self, error: BaseException) -> None:
        """Record that the handler was interrupted by ``error``."""
        for processing in self._processings:
            processing.abort(error)


@contextmanager
def observed_sending(message: Outgoing, transport: Transport) -> Iterator[None]:
    """Enclose the sending of ``message``, whose headers are complete inside the block."""
    with ExitStack() as stack:
        for one in installed():
            stack.enter_context(one.sending(message, transport))
        yield


@contextmanager
def observed_creating(message: Outgoing, transport: Transport) -> Iterator[None]:
    """Enclose writing ``message`` to an outbox."""
    with ExitStack() as stack:
        for one in installed():
            stack.enter_context(one.creating(message, transport))
        yield
