"""Common part of both layouts of queues in Redis.

The keys and scores are those of babelqueue's Redis transport, so that its consumers and those in other languages share
the queues.
"""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from babelqueue.transport import ReceivedMessage, Transport

from babelreg.runtime.telemetry.log_fields import delivery_fields, logger
from babelreg.runtime.transports.redis_subscriptions import RedisSubscriptions

if TYPE_CHECKING:
    from babelreg.runtime.transports.redis_receiver import RedisReceiver

__all__ = ["RedisLayout", "warn_expired"]


class RedisLayout(RedisSubscriptions, Transport):
    """A transport in place of babelqueue's, with the same settings for one client."""

    classifies_poison = True

    def __init__(
        self,
        client: Any,
        *,
        processing_suffix: str = ":processing",
        key_prefix: str = "queues:",
        retry_after: int | None = 90,
        block_for: float | None = None,
        migration_batch_size: int = -1,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._redis = client
        self._processing_suffix = processing_suffix
        self.key_prefix = key_prefix
        self._retry_after = retry_after
        self._block_for = block_for
        self._batch = migration_batch_size
        self._clock = clock
        self._scripts: dict[str, Any] = {}

    @property
    def client(self) -> Any:
        """The Redis client."""
        return self._redis

    @property
    def address(self) -> tuple[Any, Any]:
        """The host, or the path of a socket, and the port of the server."""
        settings = getattr(getattr(self._redis, "connection_pool", None), "connection_kwargs", {})
        return settings.get("host") or settings.get("path"), settings.get("port")

    @property
    def lease_seconds(self) -> float | None:
        """How long a reservation lasts; None for ever."""
        return self._retry_after

    def publish(self, queue: str, body: str) -> None:
        """Put ``body`` at the end of the queue."""
        self.publish_with_headers(queue, body, {})

    @abstractmethod
    def publish_with_headers(self, queue: str, body: str, headers: Mapping[str, str]) -> None:
        """Put ``body`` at the end of the queue, with its headers where the layout has them."""

    def pop(self, queue: str, timeout: float = 1.0) -> ReceivedMessage | None:
        """Return the next message, or None if none arrives within ``timeout`` seconds."""
        seconds = timeout if self._block_for is None else self._block_for
        end = time.monotonic() + max(0.0, seconds or 0.0)
        turn = 0
        while not (reserved := self.reserve([queue], 1, sweep=True)):
            remaining = end - time.monotonic()
            if remaining <= 0:
                return None
            self.pause(queue, turn, remaining)
            turn += 1
        return reserved[0]

    def receiver(self, queues: Sequence[str], ahead: int, *, until_empty: bool) -> RedisReceiver:
        """See ``Receives``."""
        from babelreg.runtime.transports.redis_receiver import RedisReceiver

        return RedisReceiver(self, queues)

    def close(self) -> None:
        """Close the client."""
        self._redis.close()

    def uncounted(self, queue: str) -> str | None:
        """See ``CountsRecoveries``: Redis counts all."""
        return None

    def renew(self, message: ReceivedMessage) -> bool:
        """See ``Renews``."""
        return self.renew_all([message]) == 0

    def renewed_score(self) -> str:
        """Return the deadline of a reservation that is renewed. Scores are whole seconds: rounded up, it lasts."""
        return "+inf" if self._retry_after is None else str(math.ceil(self._clock()) + self._retry_after)

    @abstractmethod
    def reserve(self, queues: Sequence[str], most: int, *, sweep: bool) -> list[ReceivedMessage]:
        """Reserve up to ``most`` messages, one of each queue in turn; ``sweep``: after bringing back what is due."""

    @abstractmethod
    def renew_all(self, messages: Sequence[ReceivedMessage]) -> int:
        """Let reservations begin anew; return the number of those that had expired."""

    @abstractmethod
    def pause(self, queue: str, turn: int, seconds: float) -> None:
        """Wait for a message, at most ``seconds``; ``turn`` counts the waits of one ``pop``."""

    @abstractmethod
    def return_due(self, queue: str) -> None:
        """Bring back what is due without counting it: for those who record messages and do not handle them."""

    @abstractmethod
    def reserved_count(self, queue: str) -> int:
        """Return the number of messages that consumers hold."""

    def _script(self, text: str) -> Any:
        """Return the script that is sent once, and then by its digest. Registered on first use."""
        script = self._scripts.get(text)
        if script is None:
            script = self._scripts[text] = self._redis.register_script(text)
        return script

    def _now(self) -> int:
        return math.floor(self._clock())

    def _deadline_score(self) -> str:
        return "+inf" if self._retry_after is None else str(self._now() + self._retry_after)


def warn_expired(message: ReceivedMessage) -> None:
    """Report a message that was not settled."""
    words = (
        "the reservation of a message of queue %r expired (retry_after) before it was settled; it is delivered again"
    )
    logger.warning(words, message.queue, extra=delivery_fields(message))
