"""A Redis transport in Laravel's layout that preserves messages when a worker dies.

In that layout the reserved copy of a message, which is delivered again when its worker dies, has its attempts
incremented. Laravel's script decodes and encodes the message in Lua for that, where 9007199254740993 becomes
9.007199254741e+15, 0.30000000000000004 becomes 0.3 and [] becomes {}. Here the digits of ``attempts`` are replaced in
the text; where that is ambiguous, the message is reserved unchanged, without counting the attempt. The layout stays
compatible with Laravel's workers.
"""

from __future__ import annotations

import time

from babelqueue.codec import EnvelopeCodec, parse_envelope
from babelqueue.redis_transport import _MIGRATE, RedisTransport, _wire
from babelqueue.transport import NON_NUMERIC_ATTEMPTS_ROUTE, ReceivedMessage

from babelreg.runtime.transports.redis_deliveries import DELIVERY_KEY, ReservedMember
from babelreg.runtime.transports.reservations import each

__all__ = ["LaravelRedis"]

_LONGEST_WAIT_SECONDS = 1.0

_FORGET_MS = 7 * 24 * 3600 * 1000

# KEYS: ready, reserved, notify, deliveries; ARGV: the deadline. Returns the message, its reserved copy and its count.
# Code that may fail runs in pcall: an error between LPOP and ZADD would lose the message. The digits of attempts are
# replaced only if the text has that word once and the result decodes to the new count; never where Laravel's own script
# could not encode the message (1e400), according to the binding.
_RESERVE = (
    DELIVERY_KEY
    + """
local message = redis.call('lpop', KEYS[1])
if not message then
    return false
end
local function counted()
    local _, count = string.gsub(message, '"attempts"', '')
    local envelope = cjson.decode(message)
    local attempts = envelope['attempts']
    cjson.encode(envelope)
    local text = string.gsub(message, '("attempts"%s*:%s*)%-?%d+', '%1' .. string.format('%d', attempts + 1))
    return count == 1 and type(attempts) == 'number' and cjson.decode(text)['attempts'] == attempts + 1 and text
end
local done, text = pcall(counted)
local reserved = done and text or message
redis.call('zadd', KEYS[2], ARGV[1], reserved)
redis.call('lpop', KEYS[3])
if redis.call('exists', KEYS[4]) == 0 then
    return {message, reserved, 0}
end
return {message, reserved, tonumber(redis.call('hget', KEYS[4], delivery_key(message)) or 0)}
"""
)

# KEYS: reserved, ready, notify, deliveries; ARGV: now, the most to recover (-1: all), the life of the counts in ms.
_RECOVER = (
    DELIVERY_KEY
    + """
for _, message in ipairs(redis.call('zrangebyscore', KEYS[1], '-inf', ARGV[1], 'limit', 0, ARGV[2])) do
    redis.call('zrem', KEYS[1], message)
    redis.call('rpush', KEYS[2], message)
    redis.call('rpush', KEYS[3], 1)
    redis.call('hincrby', KEYS[4], delivery_key(message), 1)
    redis.call('pexpire', KEYS[4], ARGV[3])
end
"""
)

# KEYS: deliveries; ARGV: the message.
_FORGET = DELIVERY_KEY + "redis.call('hdel', KEYS[1], delivery_key(ARGV[1]))"


# KEYS: reserved; ARGV: the reserved copy, the new deadline. Returns 0 if the reservation has expired.
_RENEW = """
if not redis.call('zscore', KEYS[1], ARGV[1]) then
    return 0
end
redis.call('zadd', KEYS[1], ARGV[2], ARGV[1])
return 1
"""


class LaravelRedis(RedisTransport):
    """babelqueue's transport in its Laravel-compatible layout."""

    def recoveries(self, message: ReceivedMessage) -> int | None:
        """See ``CountsRecoveries``."""
        return message.handle.recoveries if isinstance(message.handle, ReservedMember) else 0

    def uncounted(self, queue: str) -> str | None:
        """See ``CountsRecoveries``: Redis counts all."""
        return None

    def ack(self, message: ReceivedMessage) -> None:
        super().ack(message)
        self._forget(message)

    def dead_letter(self, message: ReceivedMessage, queue: str, body: str) -> None:
        super().dead_letter(message, queue, body)
        self._forget(message)

    def take(self, queue: str, most: int, timeout: float) -> list[ReceivedMessage]:
        """See ``TakesMany``."""
        return each(lambda seconds: self._pop_zset(queue, seconds), most, timeout)

    def renew(self, message: ReceivedMessage) -> bool:
        """See ``Renews``."""
        reserved = f"{self._ready(message.queue)}:reserved"
        return bool(self._redis.eval(_RENEW, 1, reserved, _wire(message.handle), self._deadline_score()))

    def _forget(self, message: ReceivedMessage) -> None:
        if self.recoveries(message):
            self._redis.eval(_FORGET, 1, self._deliveries(self._ready(message.queue)), _wire(message.body))

    def _deliveries(self, ready: str) -> str:
        return f"{ready}:reserved:deliveries"

    def _pop_zset(self, queue: str, budget: float) -> ReceivedMessage | None:
        ready = self._ready(queue)
        notify = f"{ready}:notify"
        keys = [ready, f"{ready}:reserved", notify, self._deliveries(ready)]
        end = time.monotonic() + budget
        while True:
            self._bring_back(ready, _RECOVER)
            reserved = self._redis.eval(_RESERVE, 4, *keys, self._deadline_score())
            if reserved:
                return _received(queue, _text(reserved[0]), _text(reserved[1]), int(reserved[2]))
            remaining = end - time.monotonic()
            if remaining <= 0:
                return None
            self._redis.blpop([notify], min(_LONGEST_WAIT_SECONDS, remaining))

    def _migrate(self, ready: str) -> None:
        """Bring back what is due without counting it: for those who record messages and do not handle them."""
        self._bring_back(ready, _MIGRATE)

    def _bring_back(self, ready: str, recover: str) -> None:
        now, notify, reserved = self._now(), f"{ready}:notify", f"{ready}:reserved"
        self._redis.eval(_MIGRATE, 3, f"{ready}:delayed", ready, notify, now, self._batch)
        if self._retry_after is not None:
            keys = [reserved, ready, notify, self._deliveries(ready)]
            self._redis.eval(recover, 4, *keys, now, self._batch, _FORGET_MS)


def _received(queue: str, body: str, reserved: str, recoveries: int) -> ReceivedMessage:
    route = NON_NUMERIC_ATTEMPTS_ROUTE if _is_poison(body) else ""
    return ReceivedMessage(body, queue, ReservedMember(reserved, recoveries), route_urn=route)


def _is_poison(body: str) -> bool:
    """Return True for a malformed body, also for one without attempts, which this layout requires."""
    if any("\udc80" <= character <= "\udcff" for character in body) or EnvelopeCodec.poison_cause(body) is not None:
        return True
    return not isinstance(parse_envelope(body).get("attempts"), int)


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")
