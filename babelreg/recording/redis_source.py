"""A Redis queue as the source of a recording, in both layouts of BabelQueue.

One script moves a batch to a list of this run's own, ``<queue>:draining:<token>``; another one removes it once it is
stored. So a message is in one place at any moment, whoever is killed. ``<queue>:draining`` is the set of tokens. A new
run takes over the lists of all others: those of killed runs, and at worst that of a living one, whose batch is then
recorded twice.

Messages that consumers hold stay with them until their time is over (``retry_after``), as for any other consumer.
"""

from __future__ import annotations

import secrets
import time
from typing import Any, NamedTuple

from babelreg.runtime.bytes.dead_letter import text_bytes
from babelreg.runtime.recording.queue_source import MAX_BATCH_BYTES
from babelreg.runtime.transports.redis_layout import RedisLayout
from babelreg.runtime.transports.redis_values import as_text, unframe

_PAUSE_SECONDS = 0.1

# KEYS: the queue, our list, the set of tokens, in Laravel's layout the list of wake-ups; ARGV: the most messages, the
# most bytes, our token. What lies in our list already comes first: it was taken over, or its answer was lost.
_TAKE = """
local taken = redis.call('lrange', KEYS[2], 0, ARGV[1] - 1)
if #taken > 0 then
    return taken
end
local size = 0
redis.call('sadd', KEYS[3], ARGV[3])
while #taken < tonumber(ARGV[1]) and size < tonumber(ARGV[2]) do
    local message = redis.call('lmove', KEYS[1], KEYS[2], 'LEFT', 'RIGHT')
    if not message then
        break
    end
    if KEYS[4] then
        redis.call('lpop', KEYS[4])
    end
    taken[#taken + 1] = message
    size = size + #message
end
if #taken == 0 then
    redis.call('srem', KEYS[3], ARGV[3])
end
return taken
"""

# KEYS: the set of tokens, our list; ARGV: our token. Returns how many messages were taken over.
_TAKE_OVER = """
local count = 0
for _, token in ipairs(redis.call('smembers', KEYS[1])) do
    if token ~= ARGV[1] then
        redis.call('sadd', KEYS[1], ARGV[1])
        while redis.call('lmove', KEYS[1] .. ':' .. token, KEYS[2], 'LEFT', 'RIGHT') do
            count = count + 1
        end
        redis.call('srem', KEYS[1], token)
    end
end
return count
"""

# KEYS: our list, the set of tokens; ARGV: how many messages are stored, our token.
_REMOVE = """
redis.call('ltrim', KEYS[1], ARGV[1], -1)
if redis.call('exists', KEYS[1]) == 0 then
    redis.call('srem', KEYS[2], ARGV[2])
end
"""


class HeldMessages(NamedTuple):
    """Messages of a queue that a recording does not get now: ``reserved`` by consumers, ``delayed`` until later."""

    reserved: int
    delayed: int


class RedisSource:
    """One queue; ``transport`` decides on the layout. ``taken_over`` counts what killed runs had taken, once known."""

    def __init__(self, transport: RedisLayout, queue: str) -> None:
        self._transport = transport
        self._redis: Any = transport.client
        self._queue = queue
        self._laravel = transport.laravel
        self.key = transport.list_of(queue)
        self._tokens = f"{self.key}:draining"
        self._token = secrets.token_hex(8)
        self._own = f"{self._tokens}:{self._token}"
        self._received = 0
        self.taken_over: int | None = None

    def receive(self, most: int, timeout_seconds: float) -> list[bytes]:
        if self.taken_over is None:
            self.taken_over = int(self._redis.eval(_TAKE_OVER, 2, self._tokens, self._own, self._token))
        end = time.monotonic() + timeout_seconds
        while True:
            self._return_expired()
            keys = [self.key, self._own, self._tokens, *[f"{self.key}:notify"] * self._laravel]
            taken = self._redis.eval(_TAKE, len(keys), *keys, most, MAX_BATCH_BYTES, self._token)
            if taken:
                self._received = len(taken)
                return [self._body(value) for value in taken]
            remaining = end - time.monotonic()
            if remaining <= 0:
                return []
            time.sleep(min(_PAUSE_SECONDS, remaining))

    def acknowledge(self) -> None:
        received, self._received = self._received, 0
        if received:
            self._redis.eval(_REMOVE, 2, self._own, self._tokens, received, self._token)

    def is_empty(self) -> bool:
        """Return whether the queue is empty."""
        return self.waiting() == 0

    def waiting(self) -> int:
        """Return the number of messages in the queue."""
        return int(self._redis.llen(self.key))

    def left_behind(self) -> int:
        """Return the number of messages that killed runs had taken, and that the first batch takes over."""
        lists = [f"{self._tokens}:{as_text(token)}" for token in self._redis.smembers(self._tokens)]
        return sum(int(self._redis.llen(name)) for name in lists if name != self._own)

    def held(self) -> HeldMessages:
        """Return the number of messages that are not in the queue now."""
        delayed = int(self._redis.zcard(f"{self.key}:delayed"))
        return HeldMessages(self._transport.reserved_count(self._queue), delayed)

    def other_layout(self) -> str | None:
        """Return a sentence if the queue has messages in BabelQueue's other layout."""
        other = self._queue if self._laravel else f"{self._transport.key_prefix}{self._queue}"
        if other == self.key or not self._redis.llen(other):
            return None
        instead = "without ?laravel=1" if self._laravel else "with ?laravel=1"
        return f"there are messages in the list {other}, which is read {instead} in the URL"

    def close(self) -> None:
        """Put what was taken and not acknowledged back to the head of the queue."""
        while self._redis.lmove(self._own, self.key, "RIGHT", "LEFT") is not None:
            if self._laravel:
                self._redis.rpush(f"{self.key}:notify", 1)
        self._redis.srem(self._tokens, self._token)

    def _return_expired(self) -> None:
        """Move messages whose consumer died, and delayed ones that are due, back to the queue."""
        self._transport.return_due(self._queue)

    def _body(self, value: str | bytes) -> bytes:
        """Return the message; in the other layout, headers may be around it."""
        text = as_text(value)
        body = text if self._laravel else unframe(text)[0]
        return text_bytes(body)
