"""Text view of one message: its headers and contents, one a line, each after its offset."""

from __future__ import annotations

from babelreg.wire.formats.phpmq.headers import MESSAGE_HEADER_BYTES, PACKET_HEADER_BYTES, message_header, packet_header

_PACKETS = {1: "queue name", 2: "message content", 3: "message id", 4: "count", 5: "time to live, in seconds"}
_WIDTH = 96
_MAX_CONTENT = 2_000


def layout(raw: bytes) -> str:
    """Return one message with a line for each header and content, and what it means."""
    header = message_header(raw[:MESSAGE_HEADER_BYTES], 0, strict=True)
    lines = [(0, raw[:MESSAGE_HEADER_BYTES], f"message type {header.type:03}, {header.packets} packets")]
    at = MESSAGE_HEADER_BYTES
    for _ in range(header.packets):
        packet = packet_header(raw[at : at + PACKET_HEADER_BYTES], at, len(raw), strict=True)
        octets = "1 octet" if packet.length == 1 else f"{packet.length} octets"
        lines.append((at, raw[at : at + PACKET_HEADER_BYTES], f"{_PACKETS[packet.type]}: {octets}"))
        at += PACKET_HEADER_BYTES
        lines.append((at, raw[at : at + packet.length], ""))
        at += packet.length
    width = len(str(at))
    return "\n".join(line for offset, octets, about in lines for line in _lines(offset, octets, about, width))


def _lines(offset: int, octets: bytes, about: str, width: int) -> list[str]:
    text = _text(octets)
    parts = [text[start : start + _WIDTH] for start in range(0, len(text), _WIDTH)] or [""]
    first = f"{offset:>{width}}  {parts[0]}"
    if about:
        first = f"{first:<{width + 36}}  {about}"
    return [first.rstrip(), *(f"{'':>{width}}  {part}" for part in parts[1:])]


def _text(octets: bytes) -> str:
    """Return octets as text where they are printable text, else as hexadecimal digits."""
    try:
        text = octets.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    shown = text[:_MAX_CONTENT] if text.isprintable() else octets[:_MAX_CONTENT].hex(" ")
    return shown if len(octets) <= _MAX_CONTENT else f"{shown} …"
