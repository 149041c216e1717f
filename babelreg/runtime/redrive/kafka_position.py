"""The position of redrives in a partition: an offset to go on at, and the messages beyond it that were sent.

Kafka removes no message from a topic, and a consumer group has one offset a partition. Dead letters that stay lie
between others that were sent, so the latter are noted in the text that a group may commit beside its offset.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Collection

__all__ = ["MOST_BYTES", "decoded", "encoded"]

MOST_BYTES = 4096
"""The most bytes beside an offset that a broker stores, unless it is set otherwise (offset.metadata.max.bytes)."""

_PREFIX = "babelreg:1:"


def encoded(offset: int, sent: Collection[int]) -> str:
    """Return the text for ``sent`` offsets from ``offset`` on: a compressed set of bits."""
    if not sent:
        return ""
    bits = bytearray((max(sent) - offset) // 8 + 1)
    for each in sent:
        bits[(each - offset) // 8] |= 1 << (each - offset) % 8
    return _PREFIX + base64.b85encode(zlib.compress(bytes(bits), 9)).decode("ascii")


def decoded(offset: int, text: str | None) -> set[int]:
    """Return the offsets of :func:`encoded`; none for text that is not ours. Raises ValueError if it is damaged."""
    if not text or not text.startswith(_PREFIX):
        return set()
    try:
        bits = zlib.decompress(base64.b85decode(text.removeprefix(_PREFIX)))
    except zlib.error as err:
        raise ValueError(f"the note beside offset {offset} cannot be read") from err
    return {offset + number for number in range(8 * len(bits)) if bits[number // 8] >> number % 8 & 1}
