"""The end of a command that moves messages: after the current batch on the first signal, at once on the second."""

from __future__ import annotations

import signal
import threading

import click

from babelreg.cli.shared import interruption


class GracefulStop:
    """Inside the block, the first Ctrl-C or SIGTERM sets ``event``, and a second one ends the program."""

    def __init__(self) -> None:
        from babelreg.runtime.consumer.signals import StopFlag

        self.event: threading.Event = StopFlag()
        self._signal = 0
        self._previous: dict[signal.Signals, object] = {}

    def __enter__(self) -> GracefulStop:
        numbers = [n for n in (signal.SIGTERM, signal.SIGINT) if signal.getsignal(n) is not signal.SIG_IGN]
        self._previous = {number: signal.signal(number, self._on_signal) for number in numbers}
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def exit_code(self) -> int:
        """Return 0, or 128 and the number of the signal that ended the run, which is said."""
        if not self._signal:
            return 0
        click.echo("babelreg: stopped", err=True)
        return 128 + self._signal

    def _on_signal(self, number: int, frame: object) -> None:
        if self.event.is_set():
            interruption.stop(number, frame)
        self._signal = int(number)
        self.event.set()
