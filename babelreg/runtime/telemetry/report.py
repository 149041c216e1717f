"""The report of one delivery: one log record with all fields, and the service's own hooks.

A handled message is logged at DEBUG, any other at WARNING. No record holds data of a message; tracebacks end with the
text of the handler's exception, which is the service's own.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, TypeAlias

from babelreg.errors import UsageError
from babelreg.runtime.consumer.outcome import Outcome
from babelreg.runtime.errors import rejection
from babelreg.runtime.telemetry.log_fields import fields, logger
from babelreg.runtime.telemetry.message_facts import Incoming

__all__ = ["OutcomeHook", "check_hook", "log_outcome", "run_hooks"]

OutcomeHook: TypeAlias = Callable[[Outcome, Incoming], Awaitable[None] | None]
"""A plain or async function that is called after each delivery. What it raises is logged, and changes nothing."""

_SUCCESSES = ("handled", "duplicate", "skipped", "deferred")
_WORDS = {
    "skipped": "skipped: it is for other services",
    "deferred": "left for another service",
    "retried": "attempt {attempt} failed, and is repeated: {code}",
    "returned": "returned to its queue unchanged: {detail}",
    "dead_lettered": "goes to {target!r}: {detail}",
    "dropped": "dropped after attempt {attempt}: {detail}",
    "unsettled": "not settled, so the broker will deliver it again",
}


def check_hook(hook: OutcomeHook) -> None:
    """Raise UsageError if ``hook`` cannot be called with an outcome and a delivery."""
    name = getattr(hook, "__name__", repr(hook))
    try:
        inspect.signature(hook).bind(None, None)
    except TypeError:
        raise UsageError(f"{name} must take two arguments", fix=f"def {name}(outcome, delivery): ...") from None
    except ValueError:
        pass  # written in C: its signature is unknown


def log_outcome(outcome: Outcome, delivery: Incoming, seconds: float, target: str) -> None:
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


def run_hooks(hooks: Sequence[OutcomeHook], outcome: Outcome, delivery: Incoming) -> Iterator[Awaitable[Any]]:
    """Call ``hooks``; yield what the caller awaits. What a hook raises is logged."""
    for hook in hooks:
        try:
            result = hook(outcome, delivery)
        except Exception:
            _log_failure(hook, outcome, delivery)
            continue
        if result is not None and inspect.isawaitable(result):
            yield _guarded(result, hook, outcome, delivery)


async def _guarded(result: Awaitable[Any], hook: OutcomeHook, outcome: Outcome, delivery: Incoming) -> None:
    try:
        await result
    except Exception:
        _log_failure(hook, outcome, delivery)


def _log_failure(hook: OutcomeHook, outcome: Outcome, delivery: Incoming) -> None:
    name = getattr(hook, "__qualname__", repr(hook))
    more = fields(delivery, outcome=outcome.kind, reason=outcome.code)
    logger.exception("%s: the hook %s raised", delivery.urn, name, extra=more)
