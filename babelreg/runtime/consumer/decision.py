"""A delivery that is decided and to be settled.

``Dispatcher.classify`` turns a received message into a valid delivery or a decision, ``Dispatcher.attempt`` a delivery
into a decision, and ``Settlement.settle`` a decision into an outcome. Only the first and the last use the broker.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from babelqueue.transport import ReceivedMessage

from babelreg.runtime.consumer.valid_delivery import ValidDelivery
from babelreg.runtime.outcome import Outcome
from babelreg.runtime.telemetry.instrumentation import Observation


class Decision(NamedTuple):
    """A delivery to be settled, and its outcome if that succeeds.

    ``settle`` takes ``received``, asks the broker, and returns True if it confirmed; None for an acknowledgement, of
    which a transport may take several at once. ``seconds`` is the time that handling took, ``observation`` the
    observation of the attempt, if it is observed; an attempt that succeeded leaves out what nobody asks for.
    """

    received: ReceivedMessage
    outcome: Outcome
    settle: Callable[[ReceivedMessage], bool] | None = None
    seconds: float = 0.0
    observation: Observation | None = None


class Attempted(NamedTuple):
    """The end of an attempt: its decision, or what interrupted it."""

    delivery: ValidDelivery
    decision: Decision | None
    error: BaseException | None = None

    @classmethod
    def of(cls, delivery: ValidDelivery, attempt: Callable[[], Decision]) -> Attempted:
        """Return the end of ``attempt``."""
        try:
            return cls(delivery, attempt())
        except BaseException as error:
            return cls(delivery, None, error)
