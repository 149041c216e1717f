"""The receiver of both Redis layouts.

One script tries the lists of all queues in one round trip. While all are empty, one connection for each list blocks in
``BLMOVE`` from the head of the list to the head of the same list: it returns when a message arrives, and leaves that
where it is, so that a message is in a list of its queue at any time.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from babelqueue.transport import ReceivedMessage

from babelreg.runtime.mailbox import Mailbox
from babelreg.runtime.transports.receiver import Receiver

_SWEEP_SECONDS = 0.25
_LONGEST_BLOCK_SECONDS = 2.5  # half of the default timeout of redis-py 8's sockets, which no setting shows
_FAILURE_PAUSE_SECONDS = 1.0


class Reservations(Protocol):
    """The part of a transport that its receiver uses."""

    @property
    def lease_seconds(self) -> float | None: ...
    @property
    def client(self) -> Any: ...
    def list_of(self, queue: str) -> str: ...
    def reserve(self, queues: Sequence[str], most: int, *, sweep: bool) -> list[ReceivedMessage]: ...
    def renew_all(self, messages: Sequence[ReceivedMessage]) -> int: ...


class RedisReceiver(Receiver):
    """A receiver that reserves nothing that is not taken."""

    wakes = True

    def __init__(self, transport: Reservations, queues: Sequence[str]) -> None:
        self._transport = transport
        self._queues = deque(queues)
        self._swept_at = 0.0
        self._wakes: Mailbox[bool] = Mailbox()
        self._watches: list[_Watch] = []
        lease = transport.lease_seconds
        self.keep_seconds = None if lease is None else lease / 3

    def take(self, most: int, seconds: float, *, ahead: bool = True) -> Sequence[ReceivedMessage]:
        end = time.monotonic() + seconds
        while True:
            messages = self._reserve(most)
            left = end - time.monotonic()
            if messages or left <= 0 or not self._wait(min(left, _SWEEP_SECONDS)):
                return messages

    def wake(self) -> None:
        self._wakes.put(False)

    def keep(self, messages: Sequence[ReceivedMessage]) -> None:
        self._transport.renew_all(messages)

    def close(self) -> None:
        """See Receiver. Connections that block end within their timeout; they reserve nothing."""
        for watch in self._watches:
            watch.close()
        self._watches = []

    def _reserve(self, most: int) -> list[ReceivedMessage]:
        now = time.monotonic()
        sweep = now - self._swept_at >= _SWEEP_SECONDS
        messages = self._transport.reserve(self._queues, most, sweep=sweep)
        if not messages and not sweep:
            messages, sweep = self._transport.reserve(self._queues, most, sweep=True), True
        if sweep:
            self._swept_at = now
        self._queues.rotate(-1)
        return messages

    def _wait(self, seconds: float) -> bool:
        """Wait for a message, at most ``seconds``; return False if :meth:`wake` was called."""
        if not self._watches:
            self._watches = [_Watch(self._transport, queue, self._wakes) for queue in self._queues]
        for watch in self._watches:
            watch.arm()
        found = True
        with suppress(Empty):
            found = self._wakes.get(seconds)
            while True:
                found = self._wakes.get_nowait() and found
        return found


class _Watch:
    """A thread that puts True into ``wakes`` when a queue has a message, once for each :meth:`arm`."""

    def __init__(self, transport: Reservations, queue: str, wakes: Mailbox[bool]) -> None:
        self._client = transport.client
        self._key = transport.list_of(queue)
        self._wakes = wakes
        self._armed = False
        self._arms: SimpleQueue[bool] = SimpleQueue()
        settings = getattr(getattr(self._client, "connection_pool", None), "connection_kwargs", {})
        self._block_seconds = min(_LONGEST_BLOCK_SECONDS, (settings.get("socket_timeout") or 5.0) / 2)
        threading.Thread(target=self._watch, name=f"babelreg-watch-{queue}", daemon=True).start()

    def arm(self) -> None:
        """Watch, unless it does."""
        if not self._armed:
            self._armed = True
            self._arms.put(True)

    def close(self) -> None:
        self._armed = False
        self._arms.put(False)

    def _watch(self) -> None:
        while self._arms.get():
            while self._armed and not self._block():
                pass
            self._armed = False
            self._wakes.put(True)

    def _block(self) -> bool:
        try:
            return self._client.blmove(self._key, self._key, self._block_seconds, "LEFT", "LEFT") is not None
        except Exception:
            time.sleep(_FAILURE_PAUSE_SECONDS)  # the reservation that follows reports it
            return True
