"""Common part of both layouts of queues in Redis.

The keys and scores are those of babelqueue's Redis transport, so that its consumers and those in other languages share
the queues.

Subscriptions are a set of queues for each URN. The script that publishes reads it and pushes a message to all queues,
so that either all have it or none. It works on one server: the queues of a Redis Cluster are on several.
"""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar

from babelqueue.transport import ReceivedMessage, Transport

from babelreg.errors import UsageError
from babelreg.runtime.telemetry.log_fields import delivery_fields, logger
from babelreg.runtime.transports.redis_receiver import RedisReceiver
from babelreg.runtime.transports.redis_values import as_text, frame, wire
from babelreg.runtime.transports.subscription_broker import Publication

KEY = "babelreg:subscriptions:"
"""The set of the queues of a URN has this key with the URN."""
_FANNED_OUT = "babelreg:fanned-out"

# KEYS: the set of queues. ARGV: the message, a queue to leave out, the prefix of lists, 1 in Laravel's layout; for a
# delayed message its score and the beginning of its member of the sorted sets. The types are looked at first: an error
# between two pushes would leave a message in some of the queues.
_PUBLISH = """
local keys = {}
local wanted, suffix = 'list', ''
if ARGV[5] then
    wanted, suffix = 'zset', ':delayed'
end
for _, queue in ipairs(redis.call('smembers', KEYS[1])) do
    if queue ~= ARGV[2] then
        local key = ARGV[3] .. queue .. suffix
        local kind = redis.call('type', key)['ok']
        if kind ~= wanted and kind ~= 'none' then
            return redis.error_reply('WRONGTYPE the key of queue ' .. queue .. ' is not a ' .. wanted)
        end
        keys[#keys + 1] = key
    end
end
for _, key in ipairs(keys) do
    if ARGV[5] then
        redis.call('zadd', key, ARGV[5], ARGV[6] .. ARGV[1])
    else
        redis.call('rpush', key, ARGV[1])
        if ARGV[4] == '1' then
            redis.call('rpush', key .. ':notify', 1)
        end
    end
end
return #keys
"""


class RedisLayout(Transport):
    """A transport in place of babelqueue's, with the same settings for one client."""

    classifies_poison = True
    laravel: ClassVar[bool]
    """True in Laravel's layout."""
    _knows_server = False

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
        return RedisReceiver(self, queues)

    def close(self) -> None:
        """Close the client."""
        self._redis.close()

    def recoveries(self, message: ReceivedMessage) -> int | None:
        return int(getattr(message.handle, "recoveries", 0))

    def uncounted(self, queue: str) -> str | None:
        """See ``CountsRecoveries``: Redis counts all."""
        return None

    def renew(self, message: ReceivedMessage) -> bool:
        return self.renew_all([message]) == 0

    def renewed_score(self) -> str:
        """Return the deadline of a reservation that is renewed. Scores are whole seconds: rounded up, it lasts."""
        return "+inf" if self._retry_after is None else str(math.ceil(self._clock()) + self._retry_after)

    @abstractmethod
    def list_of(self, queue: str) -> str:
        """Return the key of the list of messages that are ready."""

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

    def subscribe(self, queue: str, urns: Iterable[str], *, inbox: bool) -> None:
        """See ``Subscribes``: lists need no declaration."""
        refuse_cluster(self._redis)
        pipeline = self._redis.pipeline()
        for urn in urns:
            pipeline.sadd(KEY + urn, queue)
        pipeline.execute()

    def publish_many(self, publications: Sequence[Publication]) -> list[int | Exception]:
        """See ``PublishesMany``: one after another. Delayed messages wait in the sorted sets of retries."""
        return [self._published(each) for each in publications]

    def _published(self, message: Publication) -> int | Exception:
        due = self._delayed_until(message.delay) if message.delay > 0 else ()
        try:
            if message.urn is not None:
                return self._publish_to_all(message.urn, message, due)
            if due:
                value = wire(due[1] + self._value(message.body, message.headers))
                self._redis.zadd(f"{self.list_of(message.queue)}:delayed", {value: due[0]})
            else:
                self.publish_with_headers(message.queue, message.body, message.headers)
            return 1
        except Exception as error:
            return error

    def _publish_to_all(self, urn: str, message: Publication, due: tuple[str, ...]) -> int:
        if not self._knows_server:
            refuse_cluster(self._redis)
            self._knows_server = True
        value = wire(self._value(message.body, message.headers))
        arguments = [value, message.without or "", self.list_of(""), int(self.laravel), *due]
        return int(self._script(_PUBLISH)([KEY + urn], arguments))

    def _value(self, body: str, headers: Mapping[str, str]) -> str:
        return body if self.laravel else frame(body, headers)

    @abstractmethod
    def _delayed_until(self, seconds: float) -> tuple[str, str]:
        """Return the score of a message that is due in ``seconds``, and the beginning of its member."""

    def is_fanned_out(self, queue: str) -> bool:
        return bool(self._redis.sismember(_FANNED_OUT, queue))

    def mark_fanned_out(self, queue: str) -> None:
        refuse_cluster(self._redis)
        self._redis.sadd(_FANNED_OUT, queue)

    def subscriptions(self) -> Iterator[tuple[str, str]]:
        """Yield the URN and the queue of each subscription."""
        for key in self._redis.scan_iter(match=f"{KEY}*", count=1000):
            for queue in self._redis.smembers(key):
                yield as_text(key).removeprefix(KEY), as_text(queue)

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


def refuse_cluster(client: Any) -> None:
    """Raise UsageError where ``client`` is that of a Redis Cluster. Where the server does not tell, its errors do."""
    enabled: Any = type(client).__name__ == "RedisCluster"
    with suppress(Exception):
        enabled = enabled or int(client.info("cluster").get("cluster_enabled", 0))
    if enabled:
        raise UsageError(
            "Redis Cluster is not supported: one script writes the lists of several queues",
            fix="use a Redis server that is not a cluster, or RabbitMQ or Kafka",
        )
