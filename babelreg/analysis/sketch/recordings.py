"""Sketches of recordings: each message counts once, readable or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from babelreg.analysis.sketch.traffic_sketch import TrafficSketch
from babelreg.contract import Verdict
from babelreg.contract.envelope import Envelope
from babelreg.contract.verdict import decode

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Window(NamedTuple):
    """Whole days, from ``first_ms`` to before ``end_ms`` in Unix milliseconds."""

    first_ms: int
    end_ms: int

    @classmethod
    def until(cls, last: date, days: int) -> Window:
        """Return the ``days`` days of which ``last`` is the last, in UTC."""
        end = datetime(last.year, last.month, last.day, tzinfo=UTC) - _EPOCH + timedelta(days=1)
        return cls(*(moment // timedelta(milliseconds=1) for moment in (end - timedelta(days=days), end)))

    def holds(self, created_ms: int | None) -> bool:
        """Return True for a time in the window, and for an unknown one."""
        return created_ms is None or self.first_ms <= created_ms < self.end_ms


def add_messages(
    sketch: TrafficSketch,
    messages: Iterable[bytes | Envelope | Verdict],
    judge: Callable[[Envelope], None] = lambda envelope: None,
    window: Window | None = None,
) -> int:
    """Add recorded messages to ``sketch``; ``judge`` is given those that a reader handles.

    They are in the bytes that a broker delivered, or decoded already, or refused. Those that were created outside of
    ``window`` are left out; their number is returned.
    """
    outside = 0
    for message in messages:
        decoded = decode(message) if isinstance(message, bytes) else message
        if isinstance(decoded, Envelope):
            if window is not None and not window.holds(decoded.meta.get("created_at")):
                outside += 1
                continue
            sketch.add(decoded)
            judge(decoded)
        else:
            sketch.refuse(decoded.reason or "")
    return outside
