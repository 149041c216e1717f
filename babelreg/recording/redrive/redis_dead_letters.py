"""Dead letters in a Redis list, in both layouts of BabelQueue.

A batch is read where it lies. One script then sends and removes its valid messages in one step, so that each is in one
place at any moment, whoever is killed, and two runs at once send none twice. What stays keeps its place in the list.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from babelreg.recording.redrive.dead_letter import DeadLetter, Move
from babelreg.runtime.bytes.dead_letter import text_bytes
from babelreg.runtime.transports.redis_layout import RedisLayout
from babelreg.runtime.transports.redis_values import as_text, frame, unframe

# KEYS: the list, its list of wake-ups or '', then for each target its list and its list of wake-ups or ''. ARGV: a mark
# that is no message, then for each message: its index, the number of its target, its dead letter, what is sent.
# Returns 1 for each that was sent, 0 for one that is gone, and the error that ended the batch, if one did. A sent one
# is marked and not removed at once, which keeps the indexes of the others.
_MOVE = """
local results, failure = {}, false
for at = 2, #ARGV, 4 do
    local index, target, letter, sent = ARGV[at], 2 * ARGV[at + 1] + 1, ARGV[at + 2], ARGV[at + 3]
    local placed = redis.call('lindex', KEYS[1], index) == letter
    if not placed then
        index = redis.call('lpos', KEYS[1], letter)
    end
    if index then
        local pushed = redis.pcall('rpush', KEYS[target], sent)
        if type(pushed) == 'table' and pushed['err'] then
            failure = pushed['err']
            break
        end
        redis.call('lset', KEYS[1], index, ARGV[1])
        if KEYS[target + 1] ~= '' then
            redis.call('rpush', KEYS[target + 1], 1)
            redis.call('lpop', KEYS[2])
        end
    end
    results[#results + 1] = index and 1 or 0
end
redis.call('lrem', KEYS[1], 0, ARGV[1])
return {results, failure}
"""


class _Place(NamedTuple):
    """A dead letter in the list: as it was stored, its index at that time, and the headers around it."""

    stored: bytes
    position: int
    headers: dict[str, str]


class RedisPublisher:
    """The lists of a server; ``transport`` decides on the layout."""

    def __init__(self, transport: RedisLayout) -> None:
        self._transport = transport
        self._redis: Any = transport.client
        self._laravel = transport.laravel

    def publish(self, target: str, bodies: Sequence[bytes]) -> None:
        pipeline = self._redis.pipeline(transaction=True)
        ready, notify = self._keys(target)
        for body in bodies:
            pipeline.rpush(ready, body)
            if self._laravel:
                pipeline.rpush(notify, 1)
        pipeline.execute()

    def missing(self, target: str) -> bool:
        """Return False: a list that is empty does not exist."""
        return False

    def close(self) -> None:
        self._redis.close()

    def _keys(self, queue: str) -> tuple[str, str]:
        ready = self._transport.list_of(queue)
        return ready, f"{ready}:notify" if self._laravel else ""


class RedisDeadLetters(RedisPublisher):
    """One list. Messages that consumers hold, or that are delayed, are not seen."""

    def __init__(self, transport: RedisLayout, queue: str) -> None:
        super().__init__(transport)
        self._queue = queue
        self._mark = f"babelreg:redriven:{secrets.token_hex(16)}"
        self._index = 0
        self._unread = int(self._redis.llen(self._keys(queue)[0]))

    def next(self, most: int) -> list[DeadLetter]:
        count = min(most, self._unread)
        if not count:
            return []
        stored = self._redis.lrange(self._keys(self._queue)[0], self._index, self._index + count - 1)
        self._unread -= count
        return [self._letter(_bytes(value), self._index + at) for at, value in enumerate(stored)]

    def leave(self, letters: Sequence[DeadLetter]) -> None:
        self._index += len(letters)

    def move(self, moves: Sequence[Move]) -> Iterator[Move]:
        if not moves:
            return
        targets = list(dict.fromkeys(move.target for move in moves))
        keys = [key for queue in (self._queue, *targets) for key in self._keys(queue)]
        arguments: list[Any] = [self._mark]
        for move in moves:
            place: _Place = move.letter.handle
            framed = frame(as_text(move.body), place.headers).encode("utf-8", "surrogateescape")
            arguments += [place.position, targets.index(move.target) + 1, place.stored, framed]
        results, failure = self._redis.eval(_MOVE, len(keys), *keys, *arguments)
        yield from (move for move, result in zip(moves, results, strict=False) if result)
        if failure:
            raise RedisMoveError(as_text(failure))

    def drop(self, letters: Sequence[DeadLetter]) -> None:
        key = self._keys(self._queue)
        for letter in letters:
            if self._redis.lrem(key[0], 1, letter.handle.stored) and self._laravel:
                self._redis.lpop(key[1])

    def _letter(self, stored: bytes, index: int) -> DeadLetter:
        text = as_text(stored)
        body, headers = (text, {}) if self._laravel else unframe(text)
        return DeadLetter(text_bytes(body), _Place(stored, index, headers))


class RedisMoveError(Exception):
    """The server refused a message of a batch, in its own words; those before it were moved."""


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
