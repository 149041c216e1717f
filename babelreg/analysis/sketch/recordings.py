"""Sketches of recordings: each message counts once, readable or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from babelreg.analysis.sketch.traffic_sketch import TrafficSketch
from babelreg.contract.envelope import Envelope
from babelreg.contract.verdict import decode
from babelreg.wire.format import Format, Frame, Receipt, WireError
from babelreg.wire.mapping import UrnMapping

__all__ = ["add_foreign_messages", "add_messages"]

_CONTROL = "control_message"
"""The reason of a message that has no payload, as ingest counts it."""


def add_messages(
    sketch: TrafficSketch,
    messages: Iterable[bytes | Envelope],
    judge: Callable[[Envelope], None] = lambda envelope: None,
) -> None:
    """Add recorded messages to ``sketch``; ``judge`` is given those that a reader handles.

    They are in the bytes that a broker delivered, or decoded already.
    """
    for message in messages:
        decoded = decode(message) if isinstance(message, bytes) else message
        if isinstance(decoded, Envelope):
            sketch.add(decoded)
            judge(decoded)
        else:
            sketch.refuse(decoded.reason or "")


def add_foreign_messages(
    sketch: TrafficSketch,
    wire: Format,
    events: Iterable[Frame | WireError],
    mapping: UrnMapping,
    source: str,
    judge: Callable[[Envelope], None] = lambda envelope: None,
) -> None:
    """Add recorded messages of a foreign format, as the envelopes that a bridge makes of them.

    ``source`` is the file they are from.
    """
    receipt = Receipt("0", 0, source=source)
    for event in events:
        if isinstance(event, WireError):
            sketch.refuse(event.code)
            continue
        try:
            body = wire.to_canonical(event, receipt, mapping=mapping).body
        except WireError as err:
            sketch.refuse(err.code)
            continue
        if body is None:
            sketch.refuse(_CONTROL)
        else:
            add_messages(sketch, [body], judge)
