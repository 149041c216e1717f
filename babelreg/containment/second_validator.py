"""The second of the two validators, Python's ``jsonschema``, in a process of its own, which may hang.

Its regular expressions can run without end on a hostile pattern. One process serves many pairs; when it dies, the
current pair has no answer and the next one gets a new process.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babelreg.schema.dialects import Dialect

# The clocks only stop hangs: the slowest answer on 2,800 pairs took under a second. The process itself ends when an
# answer takes too much processor time (see ``second_validator_worker``); the wall clock is for a process that waits.
HANG_SECONDS = 300.0
_TIME_IS_UP = getattr(signal, "SIGPROF", 0)
_CHILD = Path(__file__).with_name("second_validator_worker.py")


class ValidatorLost(Exception):
    """No answer of the process to a request. The text says why, as the end of a sentence about it."""


class SecondValidator:
    """A process that answers questions about pairs of schemas; started when first needed, and again after a crash."""

    def __init__(self, hang_seconds: float = HANG_SECONDS) -> None:
        self.hang_seconds = hang_seconds
        self.started = 0
        self._process: subprocess.Popen[str] | None = None
        self._case: SchemaCase | None = None

    def start(self) -> None:
        """Start the process, which imports its libraries in parallel."""
        with contextlib.suppress(OSError):  # the first request raises it again
            self._running("--ready")

    def ask(self, case: SchemaCase, request: dict[str, Any]) -> Any:
        """Return the answer to ``request`` about ``case``.

        Raises ValidatorLost when the process died, hung or could not answer.
        """
        if case is not self._case or self._process is None or self._process.poll() is not None:
            self._case = None
            answer = self._send({"case": case.as_json(), **request})
            self._case = case
            return answer
        return self._send(request)

    def _send(self, request: dict[str, Any]) -> Any:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        start = time.monotonic()
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except (OSError, ValueError, RecursionError) as err:
            self.stop()
            raise ValidatorLost("could not be started") from err
        if not line:
            overdue = process.wait() == -_TIME_IS_UP
            self.stop()
            if time.monotonic() - start >= self.hang_seconds:
                raise ValidatorLost(f"did not answer within {self.hang_seconds:g} seconds")
            raise ValidatorLost("took too much processor time" if overdue else "crashed")
        reply = json.loads(line)
        if "failed" in reply:
            raise ValidatorLost(f"could not answer ({reply['failed']})")
        return reply["ok"]

    def _running(self, *arguments: str) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self.stop()
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(_CHILD), str(self.hang_seconds), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
            self.started += 1
        return self._process

    def stop(self) -> None:
        """End the process, if there is one."""
        process, self._process, self._case = self._process, None, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what was still buffered cannot be delivered any more
                    pipe.close()


@dataclass(frozen=True, eq=False)
class SchemaCase:
    """The schemas of one comparison by name, in one dialect, as sent to the process."""

    schemas: Mapping[str, Any]
    dialect: Dialect
    formats: bool
    validator: SecondValidator

    def as_json(self) -> dict[str, Any]:
        """Return the description that the process receives."""
        return {"schemas": dict(self.schemas), "validator": self.dialect.validator, "formats": self.formats}

    def refuted(self, inner: str, outer: str, documents: list[Any]) -> list[bool]:
        """Return for each document whether ``inner`` allows and ``outer`` refuses it, by the second validator.

        Raises ValidatorLost.
        """
        answers = self.validator.ask(self, {"refuted": [inner, outer], "documents": documents})
        return [answer is True for answer in answers]


_shared: tuple[int, SecondValidator] | None = None


def second_validator() -> SecondValidator:
    """Return the second validator shared by this Python process. A forked process gets its own."""
    global _shared
    if _shared is None or _shared[0] != os.getpid():
        _shared = (os.getpid(), SecondValidator())
        atexit.register(_shared[1].stop)
    return _shared[1]
