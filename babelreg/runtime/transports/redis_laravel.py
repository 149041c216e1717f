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
from babelqueue.redis_transport import RedisTransport
from babelqueue.transport import NON_NUMERIC_ATTEMPTS_ROUTE, ReceivedMessage

__all__ = ["LaravelRedis"]

_LONGEST_WAIT_SECONDS = 1.0

# KEYS: ready, reserved, notify; ARGV: the deadline. Returns the message and its reserved copy. Code that may fail runs
# in pcall: an error between LPOP and ZADD would lose the message. The digits of attempts are replaced only if the text
# has that word once and the result decodes to the new count; never where Laravel's own script could not encode the
# message (1e400), according to the binding.
_RESERVE = """
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
return {message, reserved}
"""


class LaravelRedis(RedisTransport):
    """babelqueue's transport in its Laravel-compatible layout."""

    def _pop_zset(self, queue: str, budget: float) -> ReceivedMessage | None:
        ready = self._ready(queue)
        notify = f"{ready}:notify"
        end = time.monotonic() + budget
        while True:
            self._migrate(ready)
            reserved = self._redis.eval(_RESERVE, 3, ready, f"{ready}:reserved", notify, self._deadline_score())
            if reserved:
                return _received(queue, *map(_text, reserved))
            remaining = end - time.monotonic()
            if remaining <= 0:
                return None
            self._redis.blpop([notify], min(_LONGEST_WAIT_SECONDS, remaining))


def _received(queue: str, body: str, reserved: str) -> ReceivedMessage:
    return ReceivedMessage(body, queue, reserved, route_urn=NON_NUMERIC_ATTEMPTS_ROUTE if _is_poison(body) else "")


def _is_poison(body: str) -> bool:
    """Return True for a malformed body, also for one without attempts, which this layout requires."""
    if any("\udc80" <= character <= "\udcff" for character in body) or EnvelopeCodec.poison_cause(body) is not None:
        return True
    return not isinstance(parse_envelope(body).get("attempts"), int)


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")
