"""A Redis transport in babelqueue's plain layout with delayed retries and a count of recovered deliveries.

Beside the keys of babelqueue, two more belong to a queue: the hash ``<queue>:processing:deliveries`` counts how often a
message was recovered from a worker that died, by its ``meta.id``; the sorted set ``<queue>:delayed`` holds retries
until they are due. babelqueue's own consumers know neither, so where they share a queue with ours, recoveries of theirs
are not counted, and only ours bring delayed messages back.

One script sweeps, brings back and reserves, in one round trip, where babelqueue needs two.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from babelqueue.codec import EnvelopeCodec
from babelqueue.transport import NON_NUMERIC_ATTEMPTS_ROUTE, ReceivedMessage

from babelreg.runtime.transports import redis_batches
from babelreg.runtime.transports.capabilities import Capabilities
from babelreg.runtime.transports.redis_batches import DELIVERY_KEY, Reservation
from babelreg.runtime.transports.redis_layout import RedisLayout, warn_expired
from babelreg.runtime.transports.redis_values import as_text, frame, has_invalid_utf8, unframe, wire

_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 1.0
_TOKEN_BYTES = 16
_FORGET_MS = 7 * 24 * 3600 * 1000
_NO_SWEEP = ("", 0, 0, 0)

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


class PlainRedis(RedisLayout):
    """babelqueue's transport in its plain layout."""

    laravel = False
    capabilities = Capabilities("declared", delays=True)

    def publish_with_headers(self, queue: str, body: str, headers: Mapping[str, str]) -> None:
        """See ``RedisLayout``: within a frame, if there are any."""
        self._redis.rpush(queue, wire(frame(body, headers)))

    def _delayed_until(self, seconds: float) -> tuple[str, str]:
        return repr(self._clock() + seconds), f"{secrets.token_hex(_TOKEN_BYTES)}:"

    def ack(self, message: ReceivedMessage) -> None:
        """Remove the message, unless its reservation has expired."""
        self._finish(message, forget=True)

    def redeliver(self, message: ReceivedMessage, body: str, delay: float) -> None:
        """Put ``body`` at the end of the queue, after ``delay`` seconds."""
        value = frame(body, message.headers)
        if delay > 0:
            self._finish(message, [f"{message.queue}:delayed"], [wire(value), repr(self._clock() + delay)])
        else:
            self._finish(message, [message.queue], [wire(value)])

    def dead_letter(self, message: ReceivedMessage, queue: str, body: str) -> None:
        """Put ``body`` into ``queue`` and remove the message, unless its reservation has expired."""
        self._finish(message, [queue], [wire(frame(body, message.headers))], forget=True)

    def list_of(self, queue: str) -> str:
        return queue

    def reserve(self, queues: Sequence[str], most: int, *, sweep: bool) -> list[ReceivedMessage]:
        reserve = self._script(redis_batches.RESERVE)
        names, tokens = tuple(queues), [secrets.token_hex(_TOKEN_BYTES) for _ in range(most)]
        due = self._due() if sweep else _NO_SWEEP
        taken = reserve([], [*due, self._processing_suffix, _json_array(names), self._deadline_score(), *tokens])
        found = zip(taken[::3], taken[1::3], tokens, taken[2::3], strict=False)
        return [
            _received(names[index], Reservation(as_text(text), token, count)) for index, text, token, count in found
        ]

    def ack_many(self, messages: Sequence[ReceivedMessage]) -> None:
        acknowledge = self._script(redis_batches.ACKNOWLEDGE)
        for queue in {message.queue for message in messages}:
            same_queue = [message for message in messages if message.queue == queue]
            arguments: list[Any] = []
            for message in same_queue:
                raw, token = message.handle.raw, message.handle.token
                arguments += [token, wire(raw), "1" if self.recoveries(message) else "0"]
            for index in acknowledge(self._keys(queue), arguments):
                warn_expired(same_queue[index])

    def renew_all(self, messages: Sequence[ReceivedMessage]) -> int:
        renew, expired = self._script(redis_batches.RENEW), 0
        for queue in {message.queue for message in messages}:
            handles = [message.handle for message in messages if message.queue == queue]
            members = [wire(f"{handle.token}:{handle.raw}") for handle in handles]
            expired += int(renew([self._keys(queue)[1]], [self.renewed_score(), *members]))
        return expired

    def put_back(self, message: ReceivedMessage) -> None:
        """See ``Settlement.put_back``: to the front of the queue."""
        put_back = self._script(redis_batches.PUT_BACK)
        processing, deadlines, _ = self._keys(message.queue)
        put_back([processing, deadlines, message.queue], [message.handle.token, wire(message.handle.raw)])

    def _keys(self, queue: str) -> list[str]:
        processing = f"{queue}{self._processing_suffix}"
        return [processing, f"{processing}:deadlines", f"{processing}:deliveries"]

    def _due(self, forget_ms: int = _FORGET_MS) -> list[Any]:
        return [self._now(), self._batch, repr(self._clock()), forget_ms]

    def pause(self, queue: str, turn: int, seconds: float) -> None:
        time.sleep(min(_FIRST_PAUSE_SECONDS * 2 ** min(turn, 10), _LONGEST_PAUSE_SECONDS, seconds))

    def return_due(self, queue: str) -> None:
        self._redis.eval(redis_batches.SWEEP, 1, queue, *self._due(0), self._processing_suffix)

    def reserved_count(self, queue: str) -> int:
        return int(self._redis.llen(self._keys(queue)[0]))

    def _finish(
        self, message: ReceivedMessage, target: list[str] | None = None, handed_on: list[Any] | None = None, *,
        forget: bool = False,
    ) -> None:  # fmt: skip
        handle = message.handle
        if not isinstance(handle, Reservation):
            return
        flag = "1" if forget and self.recoveries(message) else "0"
        settle = self._script(_SETTLE)
        arguments = [handle.token, wire(handle.raw), flag, *(handed_on or [])]
        if not settle([*self._keys(message.queue), *(target or [])], arguments):
            warn_expired(message)


_json_array = lru_cache(maxsize=256)(json.dumps)


def _received(queue: str, reservation: Reservation) -> ReceivedMessage:
    text = reservation.raw
    body, headers = unframe(text)
    poison = has_invalid_utf8(text) or EnvelopeCodec.poison_cause(body) is not None
    return ReceivedMessage(body, queue, reservation, headers, NON_NUMERIC_ATTEMPTS_ROUTE if poison else "")
