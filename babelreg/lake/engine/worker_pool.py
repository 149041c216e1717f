"""Pool of worker processes: each is a new Python program, which runs one task at a time.

Workers are not forked from this process, whose threads may hold locks (of Arrow, NumPy, the progress line), and they do
not import its main module, as those of ``multiprocessing`` do. A worker that dies is replaced, and its task repeated
once. After any exception all workers are ended, since the files that their tasks still write are about to be removed.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from queue import SimpleQueue
from typing import Any, TypeVar

from babelreg.errors import UsageError
from babelreg.lake.deferred_signals import deferred
from babelreg.lake.engine import frames

Item = TypeVar("Item")
Result = TypeVar("Result")

_ATTEMPTS = 2
_EXIT_SECONDS = 5
"""How long to wait for the exit of a process that has closed its output."""


class WorkerDied(Exception):
    """A worker process ended while it ran a task. ``code`` is its exit code, negative for a signal."""

    def __init__(self, code: int) -> None:
        self.killed = code == -signal.SIGKILL
        name = signal.Signals(-code).name if code < 0 else str(code)
        how = "was killed" if self.killed else "crashed" if code < 0 else "ended with exit code"
        super().__init__(f"a worker process {how} ({name})" if code < 0 else f"a worker process {how} {name}")


class _WorkerError(Exception):
    """Traceback of an exception in a worker, as the cause of the one that is raised here."""


class _Worker:
    """One worker process, which knows at most one function."""

    def __init__(self) -> None:
        command = [sys.executable, "-P", "-m", "babelreg.lake.engine.worker"]
        path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path if entry)  # noqa: PTH100
        # One thread a worker, as in Spark's workers: there are as many workers as processors.
        env = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        try:
            # In a session of its own, so that Ctrl-C does not reach it; it ends when its input does.
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, start_new_session=True
            )
        except OSError as err:
            raise UsageError(
                f"cannot start a worker process: {err.strerror}",
                fix="raise the limit of processes (`ulimit -u`), or free memory",
            ) from err
        self._job = -1

    def call(self, job: int, work: bytes, item: bytes) -> Any:
        """Return the result of ``work`` of job number ``job`` for ``item``.

        Raises WorkerDied, and what the task raises.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            frames.write(self._process.stdin, b"" if job == self._job else work)
            frames.write(self._process.stdin, item)
            self._job = job
            answer = frames.read(self._process.stdout)
        except (OSError, ValueError):  # ValueError: closed by another thread
            answer = None
        if answer is None:
            raise WorkerDied(self._exit_code())
        result, error, text = pickle.loads(answer)
        if error is not None:
            raise error from _WorkerError(f"\n{text}")
        return result

    def end(self) -> None:
        """Kill the process: the files that its task writes do not count."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):  # what was not sent yet
                    stream.close()

    def _exit_code(self) -> int:
        """Return the exit code of a process that no longer answers."""
        try:
            return self._process.wait(_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            return -signal.SIGKILL
        finally:
            self.end()


class WorkerPool:
    """Worker processes, started when they are needed."""

    def __init__(self) -> None:
        self._workers: dict[int, _Worker] = {}
        self._jobs = count()
        self._lock = threading.Lock()
        self._closed = False

    def run(self, items: Sequence[Item], work: Callable[[Item], Result], workers: int) -> Iterator[tuple[int, Result]]:
        """Yield the number of each item with the result of ``work``, as they are finished, from ``workers`` processes.

        Raises what a task raises, WorkerDied where its process died twice.
        """
        job, packed = next(self._jobs), pickle.dumps(work)
        waiting = deque(enumerate(items))
        finished: SimpleQueue[tuple[int, Any] | BaseException] = SimpleQueue()
        self._closed = False

        def serve(slot: int) -> None:
            with suppress(IndexError):
                while True:
                    number, item = waiting.popleft()
                    try:
                        finished.put((number, self._call(slot, job, packed, pickle.dumps(item))))
                    except BaseException as err:
                        waiting.clear()
                        finished.put(err)

        threads = [threading.Thread(target=serve, args=(slot,), daemon=True) for slot in range(workers)]
        for thread in threads:
            thread.start()
        try:
            for _ in items:
                result = finished.get()
                if isinstance(result, BaseException):
                    raise result
                yield result
        except BaseException:
            waiting.clear()
            self.close()
            raise
        finally:
            for thread in threads:
                thread.join()

    def _call(self, slot: int, job: int, work: bytes, item: bytes) -> Any:
        for attempt in range(1, _ATTEMPTS + 1):
            worker = self._worker(slot)
            try:
                return worker.call(job, work, item)
            except WorkerDied:
                with self._lock:
                    self._workers.pop(slot, None)
                if attempt == _ATTEMPTS or self._closed:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _worker(self, slot: int) -> _Worker:
        with self._lock:
            if self._closed:
                raise WorkerDied(-signal.SIGKILL)
            if slot not in self._workers:
                self._workers[slot] = _Worker()
            return self._workers[slot]

    def close(self) -> None:
        """End all workers, whatever they do."""
        with deferred(), self._lock:
            self._closed = True
            for worker in self._workers.values():
                worker.end()
            self._workers.clear()
