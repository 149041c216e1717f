"""Client of the prover process, which runs the prover and the second validator and may crash or hang.

``jsonschema_rs.canonicalize(new).covers(canonicalize(old))`` proves containment, and can crash the interpreter
(breaking-facts: an in-place ``$ref`` under ``unevaluatedProperties``). The regular expressions of the Python validator
can run without end on a hostile pattern. One process serves many pairs; when it dies, the current pair has no answer
and the next one gets a new process.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from babelreg.schema.dialects import Dialect

__all__ = ["ECMA", "PYTHON", "PYTHON_READER", "Prover", "ProverCase", "ProverLost", "prover"]

ECMA = "ecma"
"""Patterns as jsonschema-rs reads them, close to ECMA-262."""
PYTHON = "python"
"""Patterns as Python's ``re`` reads them."""
PYTHON_READER = "python-reader"
"""As ``PYTHON`` in the outer schema; in the inner one ``$`` matches at the end only, as in every other engine."""

# The clocks only stop hangs: the slowest answer on 2,800 pairs took under a second. The process itself ends when an
# answer takes too much processor time (see ``prover_worker``); the wall clock is for a process that waits.
HANG_SECONDS = 300.0
_END_SECONDS = 1.0
_TIME_IS_UP = getattr(signal, "SIGPROF", 0)
_NUMBERS = {"draft4": 4, "draft6": 6, "draft7": 7, "draft2019-09": 19, "draft2020-12": 20}
"""What jsonschema_rs calls the dialects."""
_CHILD = Path(__file__).with_name("prover_worker.py")


class ProverLost(Exception):
    """No answer of the prover process to a request. The text says why, as the end of a sentence about it."""


class Prover:
    """A process that answers questions about pairs of schemas; started when first needed, and again after a crash."""

    def __init__(self, hang_seconds: float = HANG_SECONDS) -> None:
        self.hang_seconds = hang_seconds
        self.started = 0
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader: threading.Thread | None = None
        self._case: ProverCase | None = None

    def start(self) -> None:
        """Start the process, which imports its libraries in parallel."""
        with contextlib.suppress(OSError):  # the first request raises it again
            self._running("--ready")

    def ask(self, case: ProverCase, request: dict[str, Any]) -> Any:
        """Return the answer to ``request`` about ``case``.

        Raises ProverLost when the process died, hung or could not answer.
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
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = self._answers.get(timeout=self.hang_seconds)
        except queue.Empty:
            self.stop()
            raise ProverLost(f"gave no answer in {self.hang_seconds:g} seconds") from None
        except (OSError, ValueError, RecursionError) as err:
            self.stop()
            raise ProverLost("could not be asked") from err
        if not line:
            overdue = process.wait() == -_TIME_IS_UP
            self.stop()
            raise ProverLost("took too much processor time" if overdue else "crashed")
        reply = json.loads(line)
        if "failed" in reply:
            raise ProverLost(f"could not answer ({reply['failed']})")
        return reply["ok"]

    def _running(self, *arguments: str) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self.stop()
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(_CHILD), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
            self.started += 1
            self._answers = queue.SimpleQueue()
            self._reader = threading.Thread(target=_read, args=(self._process, self._answers), daemon=True)
            self._reader.start()
        return self._process

    def stop(self) -> None:
        """End the process, if there is one."""
        process, self._process, self._case = self._process, None, None
        if process is None:
            return
        process.kill()
        process.wait()
        if self._reader is not None:
            self._reader.join(_END_SECONDS)  # a process with one thread can be copied
        if process.stdin is not None:
            with contextlib.suppress(OSError):  # what was still buffered cannot be delivered any more
                process.stdin.close()


def _read(process: subprocess.Popen[str], answers: queue.SimpleQueue[str]) -> None:
    assert process.stdout is not None
    with process.stdout as lines:
        for line in lines:
            answers.put(line)
    answers.put("")


class ProverCase:
    """The schemas of one comparison by name, in one dialect, as sent to the process."""

    def __init__(self, schemas: Mapping[str, Any], dialect: Dialect, *, formats: bool, prover: Prover) -> None:
        self.schemas = schemas
        self.dialect = dialect
        self.formats = formats
        self._prover = prover

    def as_json(self) -> dict[str, Any]:
        """Return the description that the process receives."""
        return {
            "schemas": dict(self.schemas),
            "draft": _NUMBERS[self.dialect.name],
            "peer": self.dialect.validator,
            "formats": self.formats,
        }

    def covers(self, inner: str, outer: str, engine: str = ECMA) -> str:
        """Return ``yes`` when the prover is certain that ``outer`` contains ``inner``, else ``no`` or ``unknown``.

        ``engine`` reads the patterns. For Python the answer is ``same`` where it reads them like ECMA.
        Raises ProverLost.
        """
        return str(self._prover.ask(self, {"covers": [inner, outer], "engine": engine}))

    def difference(self, inner: str, outer: str) -> Any:
        """Return a schema of the documents that ``inner`` allows and ``outer`` refuses, as far as the prover has one.

        Raises ProverLost.
        """
        return self._prover.ask(self, {"difference": [inner, outer]})

    def refuted(self, inner: str, outer: str, documents: list[Any]) -> list[bool]:
        """Return for each document whether ``inner`` allows and ``outer`` refuses it, by the second validator.

        Raises ProverLost.
        """
        answers = self._prover.ask(self, {"refuted": [inner, outer], "documents": documents})
        return [answer is True for answer in answers]


_shared: tuple[int, Prover] | None = None


def prover() -> Prover:
    """Return the prover shared by this Python process. A forked process gets its own."""
    global _shared
    if _shared is None or _shared[0] != os.getpid():
        _shared = (os.getpid(), Prover())
        atexit.register(_shared[1].stop)
    return _shared[1]
