"""Ctrl-C and SIGTERM under ``--watch``: the batch at work is finished, unless the user insists."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress

from babelreg.cli.shared import interruption

_PROMISE = "ends after this batch; press again to stop at once"


class Stop:
    """Sets ``asked`` at the first signal, which ends ``--watch`` after the batch at work; a second one ends it at once.

    While it waits for files, the first one ends it.
    """

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.waiting = False
        for number in (signal.SIGTERM, signal.SIGINT):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._ask)

    def _ask(self, number: int, frame: object) -> None:
        if self.asked.is_set():
            interruption.stop(number, frame)
        self.asked.set()
        with suppress(OSError):  # not by sys.stderr: a signal may arrive while something is printed there
            clear = "\r\x1b[K" if os.isatty(2) else ""
            os.write(2, f"{clear}babelreg: {'stopped' if self.waiting else _PROMISE}\n".encode())
