"""Subscriptions in Redis: a set of queues for each URN, which the script that publishes reads.

One script pushes a message to all queues, so that either all have it or none. It works on one server: the queues of a
Redis Cluster are on several.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, ClassVar

from babelreg.errors import UsageError
from babelreg.runtime.transports.redis_values import as_text, frame, wire

__all__ = ["KEY", "RedisSubscriptions", "refuse_cluster"]

KEY = "babelreg:subscriptions:"
"""The set of the queues of a URN has this key with the URN."""
_FANNED_OUT = "babelreg:fanned-out"

# KEYS: the set of queues. ARGV: the message, a queue to leave out, the prefix of lists, 1 in Laravel's layout. The
# types are looked at first: an error between two pushes would leave a message in some of the queues.
_PUBLISH = """
local queues = {}
for _, queue in ipairs(redis.call('smembers', KEYS[1])) do
    if queue ~= ARGV[2] then
        local kind = redis.call('type', ARGV[3] .. queue)['ok']
        if kind ~= 'list' and kind ~= 'none' then
            return redis.error_reply('WRONGTYPE the key of queue ' .. queue .. ' is not a list')
        end
        queues[#queues + 1] = ARGV[3] .. queue
    end
end
for _, list in ipairs(queues) do
    redis.call('rpush', list, ARGV[1])
    if ARGV[4] == '1' then
        redis.call('rpush', list .. ':notify', 1)
    end
end
return #queues
"""


class RedisSubscriptions:
    """See ``Subscribes``; a part of the Redis transports, in both layouts."""

    _redis: Any
    laravel: ClassVar[bool]
    """True in Laravel's layout."""
    _knows_server = False

    def list_of(self, queue: str) -> str:
        """Return the key of the list of messages that are ready."""
        raise NotImplementedError

    def _script(self, text: str) -> Any:
        raise NotImplementedError

    def subscribe(self, queue: str, urns: Iterable[str], *, inbox: bool) -> None:
        """See ``Subscribes``: lists need no declaration."""
        refuse_cluster(self._redis)
        pipeline = self._redis.pipeline()
        for urn in urns:
            pipeline.sadd(KEY + urn, queue)
        pipeline.execute()

    def publish_to_subscribers(
        self, urn: str, body: str, headers: Mapping[str, str], *, without: str | None = None
    ) -> int:
        """See ``Subscribes``."""
        if not self._knows_server:
            refuse_cluster(self._redis)
            self._knows_server = True
        value = body if self.laravel else frame(body, headers)
        arguments = [wire(value), without or "", self.list_of(""), int(self.laravel)]
        return int(self._script(_PUBLISH)([KEY + urn], arguments))

    def is_fanned_out(self, queue: str) -> bool:
        """See ``Subscribes``."""
        return bool(self._redis.sismember(_FANNED_OUT, queue))

    def mark_fanned_out(self, queue: str) -> None:
        """See ``Subscribes``."""
        refuse_cluster(self._redis)
        self._redis.sadd(_FANNED_OUT, queue)

    def subscriptions(self) -> Iterator[tuple[str, str]]:
        """Yield the URN and the queue of each subscription."""
        for key in self._redis.scan_iter(match=f"{KEY}*", count=1000):
            for queue in self._redis.smembers(key):
                yield as_text(key).removeprefix(KEY), as_text(queue)


def refuse_cluster(client: Any) -> None:
    """Raise UsageError where ``client`` is that of a Redis Cluster. Where the server does not tell, its errors do."""
    enabled: Any = type(client).__name__ == "RedisCluster"
    with suppress(Exception):
        enabled = enabled or int(client.info("cluster").get("cluster_enabled", 0))
    if enabled:
        raise UsageError(
            "queues and subscriptions do not work on a Redis Cluster: one script writes the lists of several queues",
            fix="use a Redis server that is not a cluster, or RabbitMQ or Kafka",
        )
