"""The delay of a retry: that of the message's delivery policy, else that of the app."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from babelqueue import BabelQueue
from babelqueue.app import retry_delay

__all__ = ["retry_delay_seconds"]

_MOST_STEPS = 64


def retry_delay_seconds(
    app: BabelQueue,
    backoff: Mapping[str, float] | None,
    attempts: int,
    uniform: Callable[[float, float], float] = random.uniform,
) -> float:
    """Return the delay after ``attempts`` attempts.

    With a ``backoff`` at random between a half and the whole of ``first_seconds * factor ** (attempts - 1)``, at most
    of ``longest_seconds``, so that messages that failed together are not retried together.
    """
    if backoff is None:
        return retry_delay(
            attempts, app.retry_backoff, app.retry_backoff_multiplier, app.retry_backoff_max, app.retry_jitter
        )
    steps = min(max(attempts - 1, 0), _MOST_STEPS)
    longest = min(backoff["longest_seconds"], backoff["first_seconds"] * backoff["factor"] ** steps)
    return uniform(longest / 2, longest)
