"""A program that has imported ``babelreg``, and runs each command in a copy of its process.

Most tests of the command line are about what a command reads, writes and returns. Four fifths of the time of a short
command is spent on imports, which are the same each time. The server imports them once. For each request it forks; the
copy takes the client's folder, environment and streams, and runs :func:`babelreg.__main__.main` until it ends as any
process of the command does. What is only true in a new interpreter (which modules a command imports, how Python decodes
its streams, signals) is tested with new interpreters.

A request is a message with the three streams attached: the length of the rest in eight digits, then (arguments, folder,
environment) in the format of ``marshal``. The answer is the exit code, in decimal. A client that goes away ends its
command. The server ends with its standard input, however its client ends, and removes its folder.
"""

from __future__ import annotations

import gc
import importlib
import io
import marshal
import os
import pkgutil
import selectors
import signal
import socket
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import babelreg
from babelreg.__main__ import main
from babelreg.cli import COMMANDS

PRELOADED = ("jinja2", "jsonschema_rs", "yaml", "pyiceberg.catalog.sql")
STARTING_THREADS = ("lake", "spark", "runtime", "recording")
"""Packages that import Arrow, or clients of brokers. Threads do not survive a fork, so commands import them."""
OF_LAKES = ("pyarrow.parquet", "pyarrow.compute", "deltalake")
"""What commands of lakes import; the first one lets the server import it. Threads of allocators heed forks, and there is
no other one: see ``one_thread``."""
STREAMS = 3


def preload() -> None:
    """Import the commands, and what they import when they run."""
    for name in (*PRELOADED, *(module for module, _ in COMMANDS.values())):
        with suppress(ImportError):  # an extra that is not installed
            importlib.import_module(name)
    for package in pkgutil.iter_modules(babelreg.__path__, "babelreg."):
        if package.ispkg and package.name.rpartition(".")[2] not in STARTING_THREADS:
            _import_below(package.name)


def one_thread() -> None:
    """Let NumPy start no threads: they would not survive a fork."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"


def preload_lake() -> None:
    """Import what commands of lakes import, but for clients of catalogs."""
    for name in OF_LAKES:
        with suppress(ImportError):
            importlib.import_module(name)
    with suppress(ImportError):
        _import_below("babelreg.lake")
    gc.collect()
    gc.freeze()


def _import_below(name: str) -> None:
    package = importlib.import_module(name)
    for module in pkgutil.iter_modules(package.__path__, f"{name}."):
        if module.ispkg:
            _import_below(module.name)
        elif not module.name.endswith(("worker", "__main__")):
            with suppress(ImportError):
                importlib.import_module(module.name)


class Server:
    """The commands that run, by their process and by the client that waits for each."""

    def __init__(self, path: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen(64)
        self._ended, self._woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._selector = selectors.DefaultSelector()
        for source in (self._listener, self._ended, 0):
            self._selector.register(source, selectors.EVENT_READ)
        self._clients: dict[int, socket.socket] = {}
        self._knows_lakes = False

    def serve(self) -> None:
        """Answer requests until standard input ends."""
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._woken)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj == 0:
                    return
                if key.fileobj is self._listener:
                    self._accept()
                elif key.fileobj == self._ended:
                    os.read(self._ended, 4096)
                    self._answer()
                elif key.data in self._clients:  # which is away, as it has nothing more to send
                    os.kill(key.data, signal.SIGKILL)
                    self._selector.unregister(key.fileobj)

    def _accept(self) -> None:
        client, _ = self._listener.accept()
        request, streams, *_ = socket.recv_fds(client, 1 << 16, STREAMS)
        length = 8 + int(request[:8])
        while len(request) < length:
            request += client.recv(1 << 16)
        arguments, folder, environment = marshal.loads(request[8:])
        if {"lake", "--lake"} & {*arguments} and not self._knows_lakes:
            self._knows_lakes = True
            preload_lake()
        process = os.fork()
        if not process:
            self._run(client, streams, arguments, folder, environment)
        for stream in streams:
            os.close(stream)
        self._clients[process] = client
        self._selector.register(client, selectors.EVENT_READ, process)

    def _answer(self) -> None:
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                client = self._clients.pop(ended[0])
                with suppress(KeyError):
                    self._selector.unregister(client)
                with suppress(BrokenPipeError), client:
                    client.sendall(b"%d" % os.waitstatus_to_exitcode(ended[1]))

    def _run(
        self, client: socket.socket, streams: list[int], arguments: list[str], folder: str, environment: dict[str, str]
    ) -> NoReturn:
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._selector.close()
            for source in (client, self._listener, *self._clients.values()):
                source.close()
            os.close(self._ended)
            os.close(self._woken)
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            time.tzset()
            tempfile.tempdir = None
            _open_streams()
            sys.argv = ["babelreg", *arguments]
            main()
        except SystemExit as err:
            code = err.code if isinstance(err.code, int) else 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)


def _open_streams() -> None:
    """Open the streams as a new interpreter does, in UTF-8."""
    sys.stdin = sys.__stdin__ = _opened(0, "strict")  # type: ignore[misc]
    for name, number, errors in (("stdout", 1, "strict"), ("stderr", 2, "backslashreplace")):
        stream = _opened(number, errors)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _opened(number: int, errors: str) -> io.TextIOWrapper:
    binary = os.fdopen(number, "wb" if number else "rb", closefd=False)
    unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    lines = number == 2 or os.isatty(number)
    return io.TextIOWrapper(binary, "utf-8", errors, line_buffering=lines, write_through=unbuffered)


if __name__ == "__main__":
    path = Path(sys.argv[1])
    server = Server(str(path))
    one_thread()
    preload()
    gc.collect()
    gc.freeze()  # so that a copy that collects garbage does not copy the memory of what is imported
    print("ready", flush=True)
    server.serve()
    path.unlink()
    path.parent.rmdir()
