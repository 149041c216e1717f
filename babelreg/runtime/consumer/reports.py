"""Reports on the deliveries of one consumer: a log record with all fields, the service's hooks, and what is installed.

A handled message is logged at DEBUG, any other at WARNING. No record holds data of a message; tracebacks end with the
text of the handler's exception, which is the service's own. A delivery that is handled while nobody listens costs three
tests.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, TypeAlias

from babelqueue import BabelQueue
from babelqueue.transport import ReceivedMessage

from babelreg.runtime.consumer.decision import Decision
from babelreg.runtime.consumer.routes import Routes
from babelreg.runtime.errors import rejection
from babelreg.runtime.outcome import HANDLED, Outcome
from babelreg.runtime.telemetry.instrumentation import Observation, installed
from babelreg.runtime.telemetry.log_fields import fields, logger
from babelreg.runtime.telemetry.message_facts import Incoming
from babelreg.runtime.telemetry.middleware import check_two_arguments
from babelreg.runtime.transports.kafka_groups import home_of

OutcomeHook: TypeAlias = Callable[[Outcome, Incoming], Awaitable[None] | None]
"""A plain or async function that is called after each delivery. What it raises is logged, and changes nothing."""

_SUCCESSES = ("handled", "duplicate", "skipped", "deferred")
_WORDS = {
    "reported": "handled, although it would be refused: {detail}",
    "skipped": "skipped: it is for other services",
    "deferred": "left for another service",
    "retried": "attempt {attempt} failed, and is repeated: {code}",
    "returned": "returned to its queue unchanged: {detail}",
    "dead_lettered": "goes to {target!r}: {detail}",
    "dropped": "dropped after attempt {attempt}: {detail}",
    "unsettled": "not settled, so the broker will deliver it again",
}


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
        """Call ``hook`` after each delivery. Raises UsageError for a function that does not take two arguments."""
        check_two_arguments(hook, "outcome, delivery")
        self._hooks = (*self._hooks, hook)

    @property
    def any_async(self) -> bool:
        """True if one of the hooks is async."""
        return any(map(inspect.iscoroutinefunction, self._hooks))

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
            _log_outcome(outcome, delivery, seconds, self._dead_letter_queue(home_of(received)))
            for awaitable in _run_hooks(self._hooks, outcome, delivery):
                self.wait(awaitable)
        if observation is not None:
            observation.finish(outcome, seconds)
        return outcome


def _log_outcome(outcome: Outcome, delivery: Incoming, seconds: float, target: str) -> None:
    """Log one record on a delivery that took ``seconds``. ``target`` is the dead-letter queue."""
    level = logging.DEBUG if outcome.kind in _SUCCESSES else logging.WARNING
    if not logger.isEnabledFor(level):
        return
    words = _WORDS.get(outcome.kind, "{kind}").format(
        kind=outcome.kind, attempt=delivery.attempt, code=outcome.code, detail=_detail(outcome), target=target
    )
    expected = outcome.kind == "returned" or (outcome.error is not None and rejection(outcome.error) is not None)
    about = delivery.urn or f"a message of queue {delivery.queue!r}"
    more = {"outcome": outcome.kind, "reason": outcome.code, "duration_seconds": seconds}
    logger.log(
        level, "%s: %s", about, words, exc_info=None if expected else outcome.error, extra=fields(delivery, **more)
    )


def _detail(outcome: Outcome) -> str:
    """Return the detail, without the text of an exception: the traceback follows."""
    if outcome.code == "handler_failed" and outcome.error is not None:
        return f"handler_failed: {type(outcome.error).__name__}"
    return outcome.detail or outcome.code or ""


def _run_hooks(hooks: Sequence[OutcomeHook], outcome: Outcome, delivery: Incoming) -> Iterator[Awaitable[Any]]:
    """Call ``hooks``; yield what the caller awaits. What a hook raises is logged."""
    for hook in hooks:
        try:
            result = hook(outcome, delivery)
        except Exception:
            _log_failure(hook, outcome, delivery)
            continue
        if result is not None and inspect.isawaitable(result):
            yield _logged(result, hook, outcome, delivery)


async def _logged(result: Awaitable[Any], hook: OutcomeHook, outcome: Outcome, delivery: Incoming) -> None:
    try:
        await result
    except Exception:
        _log_failure(hook, outcome, delivery)


def _log_failure(hook: OutcomeHook, outcome: Outcome, delivery: Incoming) -> None:
    name = getattr(hook, "__qualname__", repr(hook))
    more = fields(delivery, outcome=outcome.kind, reason=outcome.code)
    logger.exception("%s: the hook %s raised", delivery.urn, name, extra=more)
