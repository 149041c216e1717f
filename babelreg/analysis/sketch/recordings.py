"""Sketches of recordings: each message counts once, readable or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from babelreg.analysis.sketch.traffic_sketch import TrafficSketch
from babelreg.analysis.sketch.window import Window
from babelreg.contract import Verdict
from babelreg.contract.envelope import Envelope
from babelreg.contract.verdict import decode


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
    begin_ms, end_ms = (window.begin_ms, window.end_ms) if window is not None else (0, 0)
    for message in messages:
        decoded = decode(message) if isinstance(message, bytes) else message
        if isinstance(decoded, Envelope):
            if window is not None:
                created_ms = decoded.meta.get("created_at")
                if created_ms is not None and not begin_ms <= created_ms < end_ms:
                    outside += 1
                    continue
            sketch.add(decoded)
            judge(decoded)
        else:
            sketch.refuse(decoded.reason or "")
    return outside
