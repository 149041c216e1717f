"""A broker as a process of the tests' own: started on a loopback port, crashed and started again on the same data."""

from __future__ import annotations

import fcntl
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO

__all__ = ["Server", "exit_on_sigterm", "free_port", "java", "listens", "own_user", "scratch"]

_ENOUGH_BYTES = 1 << 30
_FIRST_PORT, _FIRST_OF_CONNECTIONS = 10_000, 32_768


@dataclass
class Server:
    """``command`` in a process group of its own; ``log`` takes what it prints; ``ready`` tells whether it answers."""

    url: str
    command: Sequence[str]
    log: Path
    ready: Callable[[], bool]
    start_seconds: float
    environment: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Return once it answers. Raises RuntimeError, with the end of its log, when it does not in time."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **self.environment},
                start_new_session=True,
            )
        end = time.monotonic() + self.start_seconds
        while time.monotonic() < end and self.process.poll() is None:
            if self.ready():
                return
            time.sleep(0.05)
        ended = self.process.poll()
        what = f"gives no answer for {self.start_seconds} s" if ended is None else f"ended with status {ended}"
        self.crash()
        said = self.log.read_text("utf-8", "replace")[-2000:]
        raise RuntimeError(f"{self.command[0]} {what}, at {self.url}:\n{said}")

    def crash(self) -> None:
        """kill -9, the whole group; returns when it is gone."""
        self._signal(signal.SIGKILL)

    def stop(self) -> None:
        """Ask it to stop, and insist after 20 seconds."""
        try:
            self._signal(signal.SIGTERM, 20)
        except subprocess.TimeoutExpired:
            self.crash()

    def _signal(self, number: signal.Signals, seconds: float | None = None) -> None:
        if self.process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)
        self.process.wait(seconds)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


def exit_on_sigterm() -> None:
    """Let SIGTERM, of ``timeout`` say, raise SystemExit: the servers of a script end with it."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, leave)


def java(memory: str) -> list[str]:
    """Return the start of a command of Java: the one that Spark uses, compiling little, for servers that live shortly."""
    from babelreg.spark.session import java as runtimes

    program = runtimes.find().runtime / "bin" / "java"
    return [str(program), f"-Xmx{memory}", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for a broker's data: in memory where there is room, since processes crash here and machines do not."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > _ENOUGH_BYTES
    return tempfile.TemporaryDirectory(dir=memory if roomy else None, ignore_cleanup_errors=True)


def own_user(name: str, folder: str) -> list[str]:
    """Return the start of a command for a server that refuses to run as root: by user ``name``, who gets ``folder``."""
    if os.geteuid() != 0:
        return []
    try:
        user = pwd.getpwnam(name)
    except KeyError:
        user = pwd.getpwnam("nobody")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


_CLAIMS: list[IO[bytes]] = []
"""Locked files of the ports that this process has named; the locks end with it."""


def free_port() -> int:
    """Return a port that is free, and that no other process of tests gets while this one runs.

    A server takes its port only after a while: two that were named the same one would both find the first that answers.
    The system does not take it for a connection meanwhile, either: it is below those that it chooses from.
    """
    folder = Path(tempfile.gettempdir(), f"babelreg-test-ports-{os.geteuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    numbers = _server_ports()
    while True:
        port = random.SystemRandom().choice(numbers)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        claim = folder.joinpath(str(port)).open("ab")
        try:
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            claim.close()
            continue
        _CLAIMS.append(claim)
        return port


def _server_ports() -> range:
    """Return the ports that the system gives to no connection: those of half-closed ones cannot be listened on."""
    first = _FIRST_OF_CONNECTIONS
    with suppress(OSError):
        first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    return range(_FIRST_PORT, first if first > _FIRST_PORT + 1000 else 65536)


def listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 0.2):
            return True
    except OSError:
        return False
