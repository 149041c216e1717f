"""A PostgreSQL of one's own: Debian's packages, on a free loopback port, gone at the end with all it stored."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from server import Server, free_port, listens, own_user, scratch

__all__ = ["PROGRAM", "running"]


def _program() -> str | None:
    """Debian keeps the programs of each version apart, off the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    return str(found[-1]) if found else shutil.which("postgres")


PROGRAM = _program()


class _Postgres(Server):
    """Each of its processes is in a group of its own, and holds the shared memory that keeps a second server away."""

    def crash(self) -> None:
        """kill -9 of all processes; returns when they are gone."""
        if self.process is None or self.process.poll() is not None:
            super().crash()
            return
        # A server that runs on replaces each process that is killed.
        server = self.process.pid
        self.process.send_signal(signal.SIGSTOP)
        _await(lambda: _state(server) in _STOPPED)
        children = _children(server)
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        super().crash()
        _await(lambda: all(_state(child) in _GONE for child in children))


_GONE = ("", "X", "Z")
"""States of a process that is no more, or of which only the exit status is left."""

_STOPPED = ("T", *_GONE)


def _await(reached: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not reached():
        if time.monotonic() > end:
            raise TimeoutError("a process of PostgreSQL does not follow a signal")
        time.sleep(0.002)


def _state(process: int) -> str:
    fields = _status(Path("/proc", str(process), "stat"))
    return fields[0] if fields else ""


def _children(parent: int) -> list[int]:
    found = ((status, _status(status)) for status in Path("/proc").glob("[0-9]*/stat"))
    return [int(status.parts[2]) for status, fields in found if fields and int(fields[1]) == parent]


def _status(path: Path) -> list[str]:
    """The fields of a process after its name: its state, its parent, and more; none where it is gone."""
    with suppress(OSError):
        return path.read_text().rpartition(")")[2].split()
    return []


@contextmanager
def running() -> Iterator[Server]:
    """A PostgreSQL with an empty database. Its ``url`` is a conninfo of the superuser."""
    assert PROGRAM is not None
    port = free_port()
    with scratch() as folder:
        prefix = own_user("postgres", folder)
        data = f"{folder}/data"
        initdb = str(Path(PROGRAM).with_name("initdb"))
        options = ["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-locale", "-D", data]
        subprocess.run([*prefix, initdb, *options], check=True, capture_output=True, cwd=folder)
        # Processes die here, the machine does not.
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(port),
            "unix_socket_directories": "",
            "fsync": "off",
            "shared_buffers": "16MB",
        }
        flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command = [*prefix, PROGRAM, "-D", data, *flags]
        url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        ready = partial(_answers, str(Path(PROGRAM).with_name("pg_isready")), port)
        server = _Postgres(url, command, Path(folder, "postgres.log"), ready, 60)
        try:
            server.start()
            yield server
        finally:
            server.crash()


def _answers(program: str, port: int) -> bool:
    if not listens(port):
        return False
    return subprocess.run([program, "-q", "-h", "127.0.0.1", "-p", str(port)], check=False).returncode == 0
