"""Spark's Java process: detached from the terminal, with its output captured, and ended with this process.

It runs in a session of its own, so that Ctrl-C reaches neither it nor its Python workers. Its standard input is a pipe
from this process: Spark exits when that closes, however this process ended.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from babelreg.errors import UsageError
from babelreg.lake.deferred_signals import deferred

if TYPE_CHECKING:
    from py4j.clientserver import ClientServer  # type: ignore[import-untyped]

_LINES = 400
_LINE_CHARACTERS = 1000
"""Bounds of the captured output."""

_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class JavaExit:
    """Exit of a Java process: its exit code, negative for a signal, and the last lines of its output."""

    code: int
    output: str


class JavaDidNotStart(Exception):
    """Java exited before a connection was made."""

    def __init__(self, exited: JavaExit) -> None:
        super().__init__(f"Java exited with {exited.code}")
        self.exited = exited


class _Process:
    """A Java process and the thread that reads its output."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self.popen = popen
        self.lines: deque[str] = deque(maxlen=_LINES)
        self.heap: str | None = None
        self._reader: threading.Thread | None = None
        if popen.stdout is not None:
            self._reader = threading.Thread(target=self._read, args=(popen.stdout,), name="babelreg-java", daemon=True)
            self._reader.start()

    def exited(self, wait_seconds: float = 0) -> JavaExit | None:
        """Return how the process ended, None while it runs."""
        try:
            code = self.popen.wait(wait_seconds)
        except subprocess.TimeoutExpired:
            return None
        if self._reader is not None:
            self._reader.join(1)  # a child of Java may hold the pipe open
        return JavaExit(code, "".join(self.lines))

    def _read(self, stream: IO[bytes]) -> None:
        while line := stream.readline(_LINE_CHARACTERS):
            self.lines.append(line.decode(errors="replace"))


_processes: list[_Process] = []


def launch(settings: Iterable[tuple[str, str]], *, show_output: bool = False) -> ClientServer:
    """Start Java with the ``settings`` of Spark, and return the gateway to it.

    ``show_output`` lets Java print to our standard error. Raises JavaDidNotStart.
    """
    from pyspark import java_gateway

    launch_gateway: Callable[[], ClientServer] = java_gateway.launch_gateway
    if os.name == "nt" or "PYSPARK_GATEWAY_PORT" in os.environ:  # with the port, spark-submit has started us
        return launch_gateway()
    folder = Path(tempfile.mkdtemp(prefix="babelreg-java-"))
    try:
        process = _started(_command(settings), folder / "connection", show_output)
        port, secret = _connection(process, folder / "connection")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    try:
        os.environ |= {"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": secret}
        gateway = launch_gateway()
    finally:
        os.environ.pop("PYSPARK_GATEWAY_PORT", None)
        os.environ.pop("PYSPARK_GATEWAY_SECRET", None)
    gateway.proc = process.popen
    return gateway


def memory() -> str:
    """Return the maximum heap size: of the newest process, else of the next one."""
    heap = _processes[-1].heap if _processes else None
    return heap or os.environ.get("SPARK_DRIVER_MEMORY", "2g")


def exited(wait_seconds: float) -> JavaExit | None:
    """Return how the newest Java process ended; None if it is running or none was started."""
    return _processes[-1].exited(wait_seconds) if _processes else None


def end_all(number: int) -> None:
    """Send the signal ``number`` to every Java process started here."""
    for process in _processes:
        if process.popen.returncode is None:
            with suppress(OSError):
                process.popen.send_signal(number)


def _command(settings: Iterable[tuple[str, str]]) -> list[str]:
    """Return the command that PySpark would run, see ``pyspark.java_gateway.launch_gateway``."""
    from pyspark import find_spark_home

    home: Callable[[], str] = find_spark_home._find_spark_home
    script = str(Path(home()) / "bin" / "spark-submit")
    options = [word for key, value in settings for word in ("--conf", f"{key}={value}")]
    return [script, *options, *shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", "pyspark-shell"))]


def _started(command: list[str], connection: Path, show_output: bool) -> _Process:
    env = {**os.environ, "SPARK_CONNECT_MODE": "0", "_PYSPARK_DRIVER_CONN_INFO_PATH": str(connection)}
    output, errors = (sys.__stderr__, None) if show_output else (subprocess.PIPE, subprocess.STDOUT)
    with deferred():  # until it is in the list, nothing could end it
        try:
            popen = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=output, stderr=errors, env=env, start_new_session=True
            )
        except OSError as err:
            limits = err.errno in (errno.EAGAIN, errno.ENOMEM)
            raise UsageError(
                f"cannot run {command[0]}: {err.strerror}",
                fix="raise the limit of processes (`ulimit -u`), or free memory"
                if limits
                else "unset SPARK_HOME, or set it to an installation of Spark 4",
            ) from err
        process = _Process(popen)
        _processes[:] = [running for running in _processes if running.popen.poll() is None]
        _processes.append(process)
    return process


def _connection(process: _Process, file: Path) -> tuple[int, str]:
    """Return port and secret that Java writes to ``file`` when it listens."""
    while not file.is_file():
        if (ended := process.exited()) is not None:
            raise JavaDidNotStart(ended)
        time.sleep(_POLL_SECONDS)
    with suppress(OSError):  # spark-defaults.conf and other settings override the environment
        heap = re.search(r"\0-Xmx([^\0]+)", Path(f"/proc/{process.popen.pid}/cmdline").read_text())
        process.heap = heap[1] if heap else None
    with file.open("rb") as stream:
        port, length = struct.unpack("!ii", stream.read(8))
        return port, stream.read(length).decode()
