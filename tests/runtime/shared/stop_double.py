"""A flag that stops a run: it notes how long it was waited on, and waits no moment."""

from __future__ import annotations

from babelreg.runtime.consumer.stop_flag import StopFlag

__all__ = ["Stop"]


class Stop(StopFlag):
    """``waited`` are the seconds of each wait."""

    def __init__(self) -> None:
        super().__init__()
        self.waited: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waited.append(timeout or 0.0)
        return self.is_set()
