"""Subscriptions in Redis: a set of queues for each URN, which the script that publishes reads.

One script pushes a message to all queues, so that either all have it or none. It works on one server: the queues of a
Redis Cluster are on several.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from babelqueue.redis_transport import _frame_value, _wire

from babelreg.errors import UsageError

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
    _laravel_compat: bool
    _key_prefix: str

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
        script = vars(self).get("_publish_script")
        if script is None:
            refuse_cluster(self._redis)
            script = vars(self)["_publish_script"] = self._redis.register_script(_PUBLISH)
        laravel = self._laravel_compat
        value = body if laravel or not headers else _frame_value(body, dict(headers))
        arguments = [_wire(value), without or "", self._key_prefix if laravel else "", int(laravel)]
        return int(script([KEY + urn], arguments))

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
                yield _text(key).removeprefix(KEY), _text(queue)


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


def _text(value: str | bytes) -> str:
    return value.decode("utf-8") if isinstance(value, bytes) else value
