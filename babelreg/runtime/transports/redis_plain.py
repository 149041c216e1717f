"""A Redis transport in babelqueue's plain layout with delayed retries and a count of recovered deliveries.

Beside the keys of babelqueue, two more belong to a queue: the hash ``<queue>:processing:deliveries`` counts how often a
message was recovered from a worker that died, by its ``meta.id``; the sorted set ``<queue>:delayed`` holds retries
until they are due. babelqueue's own consumers know neither, so where they share a queue with ours, recoveries of theirs
are not counted, and only ours bring delayed messages back.

One script sweeps, brings back and reserves, in one round trip, where babelqueue needs two.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from babelqueue.codec import EnvelopeCodec
from babelqueue.redis_transport import (
    RedisTransport,
    _as_text,
    _frame_value,
    _has_invalid_utf8,
    _LegacyHandle,
    _unframe,
    _wire,
)
from babelqueue.transport import NON_NUMERIC_ATTEMPTS_ROUTE, ReceivedMessage

from babelreg.runtime.telemetry.log_fields import delivery_fields, logger
from babelreg.runtime.transports import redis_batches
from babelreg.runtime.transports.redis_deliveries import DELIVERY_KEY, Reservation

__all__ = ["PlainRedis"]

T = TypeVar("T")

_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 1.0
_TOKEN_BYTES = 16
_FORGET_MS = 7 * 24 * 3600 * 1000

# A member of the two sorted sets is a token of 32 characters, a colon and the message, so that equal messages differ.
_BRING_BACK = (
    DELIVERY_KEY
    + """
for _, member in ipairs(redis.call('zrangebyscore', KEYS[3], '-inf', ARGV[1], 'limit', 0, ARGV[2])) do
    if #member >= 34 and string.byte(member, 33) == 58 then
        local message = string.sub(member, 34)
        if redis.call('lrem', KEYS[2], 1, message) == 1 then
            redis.call('rpush', KEYS[1], message)
            if ARGV[4] ~= '0' then
                redis.call('hincrby', KEYS[4], delivery_key(message), 1)
                redis.call('pexpire', KEYS[4], ARGV[4])
            end
        end
    end
    redis.call('zrem', KEYS[3], member)
end
for _, member in ipairs(redis.call('zrangebyscore', KEYS[5], '-inf', ARGV[3], 'limit', 0, 1000)) do
    redis.call('rpush', KEYS[1], string.sub(member, 34))
    redis.call('zrem', KEYS[5], member)
end
"""
)

# KEYS: ready, processing, deadlines, deliveries, delayed. ARGV: now in whole seconds, the most to sweep (-1: all), now,
# the life of the counts in ms (0: do not count); to reserve: the deadline, our token. Returns the message and its
# count.
_RESERVE = (
    _BRING_BACK
    + """
local message = redis.call('lmove', KEYS[1], KEYS[2], 'LEFT', 'RIGHT')
if not message then
    return false
end
redis.call('zadd', KEYS[3], ARGV[5], ARGV[6] .. ':' .. message)
if redis.call('exists', KEYS[4]) == 0 then
    return {message, 0}
end
return {message, tonumber(redis.call('hget', KEYS[4], delivery_key(message)) or 0)}
"""
)

# KEYS: processing, deadlines, deliveries, and a list or a sorted set to hand the message on to. ARGV: our token, the
# message, 1 to forget its count, what to hand on, its score in a sorted set.
_SETTLE = (
    DELIVERY_KEY
    + """
if redis.call('zrem', KEYS[2], ARGV[1] .. ':' .. ARGV[2]) == 0 then
    return 0
end
redis.call('lrem', KEYS[1], 1, ARGV[2])
if ARGV[3] == '1' then
    redis.call('hdel', KEYS[3], delivery_key(ARGV[2]))
end
if ARGV[5] then
    redis.call('zadd', KEYS[4], ARGV[5], ARGV[1] .. ':' .. ARGV[4])
elseif KEYS[4] then
    redis.call('rpush', KEYS[4], ARGV[4])
end
return 1
"""
)


class PlainRedis(RedisTransport):
    """babelqueue's transport in its plain layout."""

    def recoveries(self, message: ReceivedMessage) -> int | None:
        """See ``CountsRecoveries``."""
        return message.handle.recoveries if isinstance(message.handle, Reservation) else 0

    def uncounted(self, queue: str) -> str | None:
        """See ``CountsRecoveries``: Redis counts all."""
        return None

    def ack(self, message: ReceivedMessage) -> None:
        """Remove the message, unless its reservation has expired."""
        self._finish(message, forget=True)

    def redeliver(self, message: ReceivedMessage, body: str, delay: float) -> None:
        """Put ``body`` at the end of the queue, after ``delay`` seconds."""
        value = _frame_value(body, message.headers)
        if delay > 0:
            self._finish(message, [self._delayed(message.queue)], [_wire(value), repr(self._clock() + delay)])
        else:
            self._finish(message, [message.queue], [_wire(value)])

    def dead_letter(self, message: ReceivedMessage, queue: str, body: str) -> None:
        """Put ``body`` into ``queue`` and remove the message, unless its reservation has expired."""
        self._finish(message, [queue], [_wire(_frame_value(body, message.headers))], forget=True)

    def take(self, queue: str, most: int, timeout: float) -> list[ReceivedMessage]:
        """See ``TakesMany``."""
        reserve, keys = self._script("_reserve_many_script", _BRING_BACK + redis_batches.RESERVE), self._keys(queue)
        tokens = [secrets.token_hex(_TOKEN_BYTES) for _ in range(most)]

        def attempt() -> list[ReceivedMessage]:
            taken = reserve(keys, [*self._due(), self._deadline_score(), *tokens])
            triples = zip(taken[::2], tokens, taken[1::2], strict=False)
            return [_received(queue, Reservation(_as_text(text), token, int(count))) for text, token, count in triples]

        return _until(attempt, timeout) or []

    def ack_many(self, messages: Sequence[ReceivedMessage]) -> None:
        """See ``AcknowledgesMany``."""
        acknowledge = self._script("_acknowledge_script", redis_batches.ACKNOWLEDGE)
        for queue in {message.queue for message in messages}:
            same_queue = [message for message in messages if message.queue == queue]
            arguments: list[Any] = []
            for message in same_queue:
                raw, token = message.handle.raw, message.handle.token
                arguments += [token, _wire(raw), "1" if self.recoveries(message) else "0"]
            _, processing, deadlines, deliveries, _ = self._keys(queue)
            for index in acknowledge([processing, deadlines, deliveries], arguments):
                _warn_expired(same_queue[index])

    def renew(self, message: ReceivedMessage) -> bool:
        """See ``Renews``."""
        renew = self._script("_renew_script", redis_batches.RENEW)
        handle = message.handle
        return bool(renew([self._deadlines(message.queue)], [handle.token, _wire(handle.raw), self._deadline_score()]))

    def put_back(self, message: ReceivedMessage) -> None:
        """See ``PutsBack``: to the front of the queue."""
        put_back = self._script("_put_back_script", redis_batches.PUT_BACK)
        ready, processing, deadlines, _, _ = self._keys(message.queue)
        put_back([processing, deadlines, ready], [message.handle.token, _wire(message.handle.raw)])

    def _delayed(self, queue: str) -> str:
        return f"{queue}:delayed"

    def _keys(self, queue: str) -> list[str]:
        processing = self._processing(queue)
        return [queue, processing, self._deadlines(queue), f"{processing}:deliveries", self._delayed(queue)]

    def _sweep(self, queue: str) -> None:
        """Bring back what is due without counting it: for those who record messages and do not handle them."""
        self._redis.eval(_BRING_BACK, 5, *self._keys(queue), *self._due(0))

    def _due(self, forget_ms: int = _FORGET_MS) -> list[Any]:
        return [self._now(), self._batch, repr(self._clock()), forget_ms]

    def _pop_legacy(self, queue: str, budget: float) -> ReceivedMessage | None:
        reserve, keys = self._script("_reserve_script", _RESERVE), self._keys(queue)

        def attempt() -> ReceivedMessage | None:
            token = secrets.token_hex(_TOKEN_BYTES)
            reserved = reserve(keys, [*self._due(), self._deadline_score(), token])
            if not reserved:
                return None
            return _received(queue, Reservation(_as_text(reserved[0]), token, int(reserved[1])))

        return _until(attempt, budget)

    def _finish(
        self, message: ReceivedMessage, target: list[str] | None = None, handed_on: list[Any] | None = None, *,
        forget: bool = False,
    ) -> None:  # fmt: skip
        handle = message.handle
        if not isinstance(handle, _LegacyHandle):
            return
        _, processing, deadlines, deliveries, _ = self._keys(message.queue)
        flag = "1" if forget and self.recoveries(message) else "0"
        settle = self._script("_settle_script", _SETTLE)
        arguments = [handle.token, _wire(handle.raw), flag, *(handed_on or [])]
        if not settle([processing, deadlines, deliveries, *(target or [])], arguments):
            _warn_expired(message)

    def _script(self, name: str, text: str) -> Any:
        """Return the script that is sent once, and then by its digest. Registered on first use."""
        script = vars(self).get(name)
        if script is None:
            script = vars(self)[name] = self._redis.register_script(text)
        return script


def _until(attempt: Callable[[], T | None], seconds: float) -> T | None:
    """Repeat ``attempt`` for up to ``seconds``, less and less often; return its first result that is not empty."""
    end = time.monotonic() + seconds
    pause = _FIRST_PAUSE_SECONDS
    while not (result := attempt()):
        remaining = end - time.monotonic()
        if remaining <= 0:
            return None
        time.sleep(min(pause, remaining))
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
    return result


def _warn_expired(message: ReceivedMessage) -> None:
    words = (
        "the reservation of a message of queue %r expired (retry_after) before it was settled; it is delivered again"
    )
    logger.warning(words, message.queue, extra=delivery_fields(message))


def _received(queue: str, reservation: Reservation) -> ReceivedMessage:
    text = reservation.raw
    body, headers = _unframe(text)
    poison = _has_invalid_utf8(text) or EnvelopeCodec.poison_cause(body) is not None
    return ReceivedMessage(body, queue, reservation, headers, NON_NUMERIC_ATTEMPTS_ROUTE if poison else "")
