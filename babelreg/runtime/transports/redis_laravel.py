"""A Redis transport in Laravel's layout that preserves messages when a worker dies.

In that layout the reserved copy of a message, which is delivered again when its worker dies, has its attempts
incremented. Laravel's script decodes and encodes the message in Lua for that, where 9007199254740993 becomes
9.007199254741e+15, 0.30000000000000004 becomes 0.3 and [] becomes {}. Here the digits of ``attempts`` are replaced in
the text; where that is ambiguous, the message is reserved unchanged, without counting the attempt. The layout stays
compatible with Laravel's workers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from babelqueue.codec import EnvelopeCodec, parse_envelope
from babelqueue.redis_transport import RedisTransport
from babelqueue.transport import NON_NUMERIC_ATTEMPTS_ROUTE, ReceivedMessage

from babelreg.runtime.transports.capabilities import Capabilities
from babelreg.runtime.transports.redis_batches import DELIVERY_KEY, RENEW, ReservedMember
from babelreg.runtime.transports.redis_layout import RedisLayout
from babelreg.runtime.transports.redis_values import as_text, has_invalid_utf8, wire

_LONGEST_WAIT_SECONDS = 1.0

_FORGET_MS = 7 * 24 * 3600 * 1000

# KEYS: ready, reserved, notify, deliveries of each queue; ARGV: the deadline, the most to reserve. Each queue that has
# messages gives one in turn. Returns for each message the index of its queue, the message, its reserved copy and its
# count. Code that may fail runs in pcall: an error between LPOP and ZADD would lose the message. The digits of attempts
# are replaced only if the text has that word once and the result decodes to the new count; never where Laravel's own
# script could not encode the message (1e400), according to the binding.
_RESERVE = (
    DELIVERY_KEY
    + """
local function counted(message)
    local _, count = string.gsub(message, '"attempts"', '')
    local envelope = cjson.decode(message)
    local attempts = envelope['attempts']
    cjson.encode(envelope)
    local text = string.gsub(message, '("attempts"%s*:%s*)%-?%d+', '%1' .. string.format('%d', attempts + 1))
    return count == 1 and type(attempts) == 'number' and cjson.decode(text)['attempts'] == attempts + 1 and text
end
local open = {}
for base = 0, #KEYS - 1, 4 do
    open[#open + 1] = base
end
local taken = {}
while #taken < 4 * tonumber(ARGV[2]) and #open > 0 do
    local filled = {}
    for _, base in ipairs(open) do
        local message = #taken < 4 * tonumber(ARGV[2]) and redis.call('lpop', KEYS[base + 1])
        if message then
            local done, text = pcall(counted, message)
            local reserved = done and text or message
            redis.call('zadd', KEYS[base + 2], ARGV[1], reserved)
            redis.call('lpop', KEYS[base + 3])
            local count = 0
            if redis.call('exists', KEYS[base + 4]) == 1 then
                count = tonumber(redis.call('hget', KEYS[base + 4], delivery_key(message)) or 0)
            end
            for _, value in ipairs({base / 4, message, reserved, count}) do
                taken[#taken + 1] = value
            end
            filled[#filled + 1] = base
        end
    end
    open = filled
end
return taken
"""
)

# KEYS: delayed or reserved, ready, notify, deliveries. ARGV: now, the most to move (-1: all), the life of the counts in
# ms (0: do not count).
_BRING_BACK = (
    DELIVERY_KEY
    + """
for _, message in ipairs(redis.call('zrangebyscore', KEYS[1], '-inf', ARGV[1], 'limit', 0, ARGV[2])) do
    redis.call('zrem', KEYS[1], message)
    redis.call('rpush', KEYS[2], message)
    redis.call('rpush', KEYS[3], 1)
    if ARGV[3] ~= '0' then
        redis.call('hincrby', KEYS[4], delivery_key(message), 1)
        redis.call('pexpire', KEYS[4], ARGV[3])
    end
end
"""
)

# KEYS: deliveries; ARGV: the message.
_FORGET = DELIVERY_KEY + "redis.call('hdel', KEYS[1], delivery_key(ARGV[1]))"


class LaravelRedis(RedisLayout):
    """babelqueue's transport in its Laravel-compatible layout."""

    laravel = True
    capabilities = Capabilities("never", delays=True)

    def __init__(self, client: Any, **settings: Any) -> None:
        super().__init__(client, **settings)
        self._theirs = RedisTransport(client=client, laravel_compat=True, **settings)

    def publish_with_headers(self, queue: str, body: str, headers: Mapping[str, str]) -> None:
        """See ``RedisLayout``: Laravel's layout has no headers."""
        self._theirs.publish(queue, body)

    def _delayed_until(self, seconds: float) -> tuple[str, str]:
        return str(self._now() + math.ceil(seconds)), ""

    def publish_delayed(self, queue: str, body: str, delay: float) -> None:
        self._theirs.publish_delayed(queue, body, delay)

    def ack(self, message: ReceivedMessage) -> None:
        self._theirs.ack(message)
        self._forget(message)

    def redeliver(self, message: ReceivedMessage, body: str, delay: float) -> None:
        self._theirs.redeliver(message, body, delay)

    def dead_letter(self, message: ReceivedMessage, queue: str, body: str) -> None:
        self._theirs.dead_letter(message, queue, body)
        self._forget(message)

    def list_of(self, queue: str) -> str:
        return f"{self.key_prefix}{queue}"

    def reserve(self, queues: Sequence[str], most: int, *, sweep: bool) -> list[ReceivedMessage]:
        names = list(queues)
        if sweep:
            for queue in names:
                self._bring_back(self.list_of(queue), _FORGET_MS)
        keys = [key for queue in names for key in self._keys(self.list_of(queue))]
        taken = self._redis.eval(_RESERVE, len(keys), *keys, self._deadline_score(), most)
        found = zip(taken[::4], taken[1::4], taken[2::4], taken[3::4], strict=True)
        return [_received(names[index], as_text(body), as_text(copy), count) for index, body, copy, count in found]

    def renew_all(self, messages: Sequence[ReceivedMessage]) -> int:
        expired = 0
        for queue in {message.queue for message in messages}:
            members = [wire(message.handle) for message in messages if message.queue == queue]
            reserved = f"{self.list_of(queue)}:reserved"
            expired += int(self._redis.eval(RENEW, 1, reserved, self.renewed_score(), *members))
        return expired

    def _forget(self, message: ReceivedMessage) -> None:
        if self.recoveries(message):
            self._redis.eval(_FORGET, 1, self._keys(self.list_of(message.queue))[3], wire(message.body))

    def _keys(self, ready: str) -> list[str]:
        return [ready, f"{ready}:reserved", f"{ready}:notify", f"{ready}:reserved:deliveries"]

    def pause(self, queue: str, turn: int, seconds: float) -> None:
        self._redis.blpop([f"{self.list_of(queue)}:notify"], min(_LONGEST_WAIT_SECONDS, seconds))

    def return_due(self, queue: str) -> None:
        self._bring_back(self.list_of(queue), 0)

    def reserved_count(self, queue: str) -> int:
        return int(self._redis.zcard(f"{self.list_of(queue)}:reserved"))

    def _bring_back(self, ready: str, forget_ms: int) -> None:
        _, reserved, notify, deliveries = self._keys(ready)
        bring_back = self._script(_BRING_BACK)
        bring_back([f"{ready}:delayed", ready, notify, deliveries], [self._now(), self._batch, 0])
        if self._retry_after is not None:
            bring_back([reserved, ready, notify, deliveries], [self._now(), self._batch, forget_ms])


def _received(queue: str, body: str, reserved: str, recoveries: int) -> ReceivedMessage:
    route = NON_NUMERIC_ATTEMPTS_ROUTE if _is_poison(body) else ""
    return ReceivedMessage(body, queue, ReservedMember(reserved, recoveries), route_urn=route)


def _is_poison(body: str) -> bool:
    """Return True for a malformed body, also for one without attempts, which this layout requires."""
    if has_invalid_utf8(body) or EnvelopeCodec.poison_cause(body) is not None:
        return True
    return not isinstance(parse_envelope(body).get("attempts"), int)
