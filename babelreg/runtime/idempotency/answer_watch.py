"""A watch on calls of ledgers, and on the statements of handlers: it reports a database that does not answer.

Keepalives find a host that is gone. A server that is stopped, or behind a proxy that forwards nothing, acknowledges
them. Its calls are not ended, because a statement may also wait for a lock of another worker. A handler that computes,
or waits for something else, is no call.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable

from babelreg.runtime.telemetry.log_fields import logger

_SILENT_SECONDS = 20.0
_LOOK_SECONDS = 5.0


class AnswerWatch:
    """The calls that are under way in this process. Its thread runs while there are calls.

    A call without an answer is reported 20 to 25 seconds after it began.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._calls: dict[object, float] = {}
        self._lock = threading.Lock()
        self._runs = False
        self._reported = -math.inf

    def begin(self) -> object:
        """Note that a call begins; return what :meth:`end` takes."""
        call = object()
        self._calls[call] = self._now()
        if not self._runs:
            self._start()
        return call

    def end(self, call: object) -> None:
        """Note that a call has ended."""
        self._calls.pop(call, None)

    def look(self) -> None:
        """Report the longest call if it takes too long, once in a minute."""
        now = self._now()
        silent = now - min(list(self._calls.values()), default=now)
        if silent >= _SILENT_SECONDS and now - self._reported >= 60.0:
            self._reported = now
            logger.warning("the ledger's database has not answered for %.0f s", silent)

    def forget(self) -> None:
        """Begin anew, in a child process, which has no thread."""
        self.__init__()  # type: ignore[misc]

    def _start(self) -> None:
        with self._lock:
            if not self._runs:
                self._runs = True
                threading.Thread(target=self._watch, name="babelreg-ledger-watch", daemon=True).start()

    def _watch(self) -> None:
        idle = 0
        while idle < 3:
            time.sleep(_LOOK_SECONDS)
            idle = 0 if self._calls else idle + 1
            self.look()
        self._runs = False
        if self._calls:  # it began before the line above, and found the thread running
            self._start()


watch = AnswerWatch()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=watch.forget)
