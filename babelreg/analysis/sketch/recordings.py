"""Sketches of recordings: each message counts once, readable or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from babelreg.analysis.sketch.traffic_sketch import TrafficSketch
from babelreg.contract import Verdict
from babelreg.contract.envelope import Envelope
from babelreg.contract.verdict import decode


def add_messages(
    sketch: TrafficSketch,
    messages: Iterable[bytes | Envelope | Verdict],
    judge: Callable[[Envelope], None] = lambda envelope: None,
) -> None:
    """Add recorded messages to ``sketch``; ``judge`` is given those that a reader handles.

    They are in the bytes that a broker delivered, or decoded already, or refused.
    """
    for message in messages:
        decoded = decode(message) if isinstance(message, bytes) else message
        if isinstance(decoded, Envelope):
            sketch.add(decoded)
            judge(decoded)
        else:
            sketch.refuse(decoded.reason or "")
