"""Reports on the deliveries of one consumer: a log record, the service's hooks, and what is installed.

A delivery that is handled while nobody listens costs three tests.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any

from babelqueue import BabelQueue
from babelqueue.transport import ReceivedMessage

from babelreg.runtime.consumer.decision import Decision
from babelreg.runtime.consumer.outcome import HANDLED, Outcome
from babelreg.runtime.consumer.routes import Routes
from babelreg.runtime.telemetry.instrumentation import installed
from babelreg.runtime.telemetry.log_fields import logger
from babelreg.runtime.telemetry.message_facts import Incoming
from babelreg.runtime.telemetry.observation import Observation
from babelreg.runtime.telemetry.report import OutcomeHook, log_outcome, run_hooks
from babelreg.runtime.transports.kafka_groups import home_of

__all__ = ["Reports"]


class Reports:
    """The hooks of one consumer, and its reports.

    ``dead_letter_queue`` names the queue of dead letters of a queue. ``wait`` runs the awaitable of an async hook to
    its end; a run in an event loop of the application replaces it.
    """

    def __init__(
        self,
        app: BabelQueue,
        routes: Routes,
        dead_letter_queue: Callable[[str], str],
        wait: Callable[[Awaitable[Any]], Any],
    ) -> None:
        self._app = app
        self._routes = routes
        self._dead_letter_queue = dead_letter_queue
        self._hooks: tuple[OutcomeHook, ...] = ()
        self.wait = wait

    def add_hook(self, hook: OutcomeHook) -> None:
        """Call ``hook`` after each delivery."""
        self._hooks = (*self._hooks, hook)

    def begin(self, received: ReceivedMessage, seconds_ago: float = 0.0) -> Observation | None:
        """Return the observation of a delivery whose handling started ``seconds_ago``; None if nothing is installed."""
        if not installed():
            return None
        return Observation(received, self._routes, self._app.transport, seconds_ago)

    def settled(self, decision: Decision, outcome: Outcome) -> Outcome:
        """Report the ``outcome`` of a delivery, and return it."""
        if (
            outcome is HANDLED
            and decision.observation is None
            and not self._hooks
            and not logger.isEnabledFor(logging.DEBUG)
        ):
            return outcome
        received, seconds = decision.received, decision.seconds
        observation = decision.observation or self.begin(received, seconds)
        delivery = Incoming.of(received, self._routes) if observation is None else observation.delivery
        with nullcontext() if observation is None else observation.current():
            log_outcome(outcome, delivery, seconds, self._dead_letter_queue(home_of(received)))
            for awaitable in run_hooks(self._hooks, outcome, delivery):
                self.wait(awaitable)
        if observation is not None:
            observation.finish(outcome, seconds)
        return outcome
