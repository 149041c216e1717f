"""I/O services for pika's protocol that do their work within the calls of one thread at a time.

pika's connections run on any services of this kind (``AbstractIOServices``). Its own write each frame in a packet of
its own, and start and stop to watch a socket for each.
"""

from __future__ import annotations

import heapq
import importlib
import itertools
import selectors
import socket
import ssl
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_READ_BYTES = 2**16
_AGAIN = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class CallerServices:
    """See ``AbstractIOServices`` of pika. ``connect_seconds`` limits each step of a connection's start."""

    def __init__(self, connect_seconds: float | None) -> None:
        interface = importlib.import_module("pika.adapters.utils.nbio_interface")
        interface.AbstractIOServices.register(type(self))
        self._connect_seconds = connect_seconds
        self._callbacks: deque[Callable[[], object]] = deque()
        self._timers: list[tuple[float, int, _Timer]] = []
        self._numbers = itertools.count()
        self._stream: _SocketStream | None = None
        # No epoll, which a child process would share.
        self._selector = getattr(selectors, "PollSelector", selectors.SelectSelector)()
        self._woken, self._waker = socket.socketpair()
        for end in (self._woken, self._waker):
            end.setblocking(False)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._watched: tuple[socket.socket, int] | None = None

    @property
    def gathered_bytes(self) -> int:
        """The size of what is to be written."""
        return 0 if self._stream is None else self._stream.get_write_buffer_size()

    def poll(self, seconds: float | None) -> None:
        """Write, and read once; wait for that up to ``seconds``, until a timer is due, or :meth:`wake`."""
        if self._run_callbacks():
            seconds = 0.0  # what was waited for may have happened
        if self._stream is not None:
            self._stream.write_gathered()
        self._watch()
        for key, _ in self._selector.select(self._wait_seconds(seconds)):
            if key.fileobj is self._woken:
                with suppress(BlockingIOError):
                    self._woken.recv(_READ_BYTES)
            elif self._stream is not None:
                self._stream.read()
        self._run_timers()
        self._run_callbacks()

    def wake(self) -> None:
        with suppress(OSError):  # full: it will wake; closed: nobody waits
            self._waker.send(b"\0")

    def close(self) -> None:
        """Close the socket and all else. Its reference cycles end, too."""
        self._callbacks.clear()
        self._timers.clear()
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.socket.close()
        self._selector.close()
        self._woken.close()
        self._waker.close()

    def get_native_ioloop(self) -> None:
        return None

    def add_callback_threadsafe(self, callback: Callable[[], object]) -> None:
        self._callbacks.append(callback)

    def call_later(self, delay: float, callback: Callable[[], object]) -> _Timer:
        timer = _Timer(callback)
        heapq.heappush(self._timers, (time.monotonic() + delay, next(self._numbers), timer))
        return timer

    def getaddrinfo(
        self, host: str, port: int, on_done: Callable[[Any], object], family: int = 0, socktype: int = 0,
        proto: int = 0, flags: int = 0,
    ) -> _Timer:  # fmt: skip
        return self._later(on_done, lambda: socket.getaddrinfo(host, port, family, socktype, proto, flags))

    def connect_socket(self, sock: socket.socket, resolved_addr: Any, on_done: Callable[[Any], object]) -> _Timer:
        def connect() -> None:
            sock.settimeout(self._connect_seconds)
            sock.connect(resolved_addr)

        return self._later(on_done, connect)

    def create_streaming_connection(
        self, protocol_factory: Callable[[], Any], sock: socket.socket, on_done: Callable[[Any], object],
        ssl_context: ssl.SSLContext | None = None, server_hostname: str | None = None,
    ) -> _Timer:  # fmt: skip
        def stream() -> tuple[_SocketStream, Any]:
            encrypted = sock
            if ssl_context is not None:
                encrypted = ssl_context.wrap_socket(sock, server_hostname=server_hostname)
            encrypted.setblocking(False)
            protocol = protocol_factory()
            self._stream = _SocketStream(encrypted, protocol, self.add_callback_threadsafe)
            protocol.connection_made(self._stream)
            return self._stream, protocol

        return self._later(on_done, stream)

    def _later(self, on_done: Callable[[Any], object], step: Callable[[], Any]) -> _Timer:
        """Call ``on_done`` with the result of ``step``, or its exception, at the next :meth:`poll`."""

        def run() -> None:
            try:
                result = step()
            except Exception as error:
                result = error
            if reference.callback is not None:
                on_done(result)

        reference = _Timer(run)
        self._callbacks.append(run)
        return reference

    def _run_callbacks(self) -> bool:
        """Run those that are there now; return False if there are none."""
        count = len(self._callbacks)
        for _ in range(count):
            self._callbacks.popleft()()
        return count > 0

    def _run_timers(self) -> None:
        while self._timers and self._timers[0][0] <= time.monotonic():
            callback = heapq.heappop(self._timers)[2].callback
            if callback is not None:
                callback()

    def _wait_seconds(self, seconds: float | None) -> float | None:
        if self._callbacks:
            return 0.0
        if not self._timers:
            return seconds
        due = max(0.0, self._timers[0][0] - time.monotonic())
        return due if seconds is None else min(seconds, due)

    def _watch(self) -> None:
        """Wait for the socket to be readable, and writable where something is left to write."""
        wanted = None
        if self._stream is not None and not self._stream.is_lost:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self.gathered_bytes else 0)
            wanted = self._stream.socket, events
        if wanted == self._watched:
            return
        if self._watched is not None:
            self._selector.unregister(self._watched[0])
        if wanted is not None:
            self._selector.register(*wanted)
        self._watched = wanted


class _Timer:
    """A call that can be cancelled."""

    def __init__(self, callback: Callable[[], object]) -> None:
        self.callback: Callable[[], object] | None = callback

    def cancel(self) -> bool:
        """Return False if it was cancelled before."""
        pending, self.callback = self.callback is not None, None
        return pending


class _SocketStream:
    """See ``AbstractStreamTransport`` of pika."""

    def __init__(self, sock: socket.socket, protocol: Any, call_soon: Callable[[Callable[[], object]], None]) -> None:
        self.socket = sock
        self.is_lost = False
        self._protocol = protocol
        self._call_soon = call_soon
        self._gathered: list[bytes] = []
        self._size = 0

    def get_protocol(self) -> Any:
        return self._protocol

    def get_write_buffer_size(self) -> int:
        return self._size

    def write(self, data: bytes) -> None:
        if not self.is_lost:
            self._gathered.append(data)
            self._size += len(data)

    def abort(self) -> None:
        self._lose(None)

    def write_gathered(self) -> None:
        """Write as much as the socket takes."""
        if not self._size or self.is_lost:
            return
        data = b"".join(self._gathered)
        sent = 0
        try:
            sent = self.socket.send(data)
        except _AGAIN:
            pass
        except OSError as error:
            self._lose(error)
            return
        self._gathered = [data[sent:]] if sent < len(data) else []
        self._size = len(data) - sent

    def read(self) -> None:
        """Pass on what there is to read."""
        try:
            while not self.is_lost:
                data = self.socket.recv(_READ_BYTES)
                if not data:
                    self._protocol.eof_received()
                    self._lose(None)
                    return
                self._protocol.data_received(data)
                if len(data) < _READ_BYTES and not isinstance(self.socket, ssl.SSLSocket):
                    return
        except _AGAIN:
            pass
        except Exception as error:  # of the socket, or a frame that pika refuses
            self._lose(error)

    def _lose(self, error: Exception | None) -> None:
        if not self.is_lost:
            self.is_lost = True
            self._gathered, self._size = [], 0
            self._call_soon(lambda: self._protocol.connection_lost(error))
