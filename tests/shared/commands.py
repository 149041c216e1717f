"""Commands of ``babelreg`` in processes of their own, copied from one that has imported them: see ``command_server``.

:func:`run` is for tests, and :func:`words` for scripts of a shell. A test that needs a new interpreter starts one:
``[sys.executable, "-m", "babelreg", ...]``.
"""

from __future__ import annotations

import atexit
import functools
import marshal
import os
import selectors
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TEMPORARY = tempfile.gettempdir()
"""Not that of the test which happens to be the first one."""
OWN = ("PYTHONPATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE")
"""Variables of Python's that are the same for a copy, or that the server heeds."""


def run(
    *arguments: str | os.PathLike[str],
    at: Path | None = None,
    env: dict[str, str] | None = None,
    timeout: float = 300,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; standard input is empty. The result is that of ``subprocess.run`` with captured text."""
    environment = dict(os.environ if env is None else env)
    read_at_start = {name for name in environment if name.startswith("PYTHON")}.difference(OWN)
    if differing := [name for name in sorted(read_at_start) if environment[name] != os.environ.get(name)]:
        raise ValueError(f"only a new interpreter reads {', '.join(differing)}: start one")
    command = [os.fspath(argument) for argument in arguments]
    request = marshal.dumps((command, os.fspath(at or Path.cwd()), environment))
    with socket.socket(socket.AF_UNIX) as connection, Path(os.devnull).open("rb") as nothing:
        connection.connect(_server())
        message = b"%08d" % len(request) + request
        out, err = os.pipe(), os.pipe()
        sent = socket.send_fds(connection, [message], [nothing.fileno(), out[1], err[1]])
        os.close(out[1])
        os.close(err[1])
        if sent < len(message):  # else a quick command may have ended, and to send nothing would fail
            connection.sendall(message[sent:])
        printed = _read({connection.fileno(): b"", out[0]: b"", err[0]: b""}, command, timeout)
        os.close(out[0])
        os.close(err[0])
        code = int(printed[connection.fileno()])
    return subprocess.CompletedProcess(command, code, printed[out[0]].decode(), printed[err[0]].decode())


def _read(streams: dict[int, bytes], command: list[str], timeout: float) -> dict[int, bytes]:
    """Read all streams to their ends."""
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(timeout)
            if not ready:
                raise subprocess.TimeoutExpired(command, timeout)
            for key, _ in ready:
                data = os.read(key.fd, 1 << 16)
                streams[key.fd] += data
                if not data:
                    selector.unregister(key.fd)
    return streams


def words() -> list[str]:
    """Return the words that a shell begins a command with, in place of ``babelreg``."""
    return [sys.executable, "-I", "-S", os.fspath(HERE / "command_client.py"), _server()]


@functools.cache
def _server() -> str:
    """Start the server, for all commands of this process; return the path of its socket."""
    folder = tempfile.mkdtemp(prefix="babelreg-commands-", dir=TEMPORARY)
    path = os.path.join(folder, "socket")  # noqa: PTH118 -- a socket's path is short text
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, os.fspath(HERE / "command_server.py"), path]
    process = subprocess.Popen(
        command, cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    atexit.register(process.communicate)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return path
