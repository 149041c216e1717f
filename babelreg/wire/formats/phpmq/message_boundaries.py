"""The borders of PHPMQ messages by their headers alone, for files too large to be read by one task."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from babelreg.wire.format import Profile, WireError
from babelreg.wire.formats.phpmq.codec import other_packet, truncated
from babelreg.wire.formats.phpmq.headers import MESSAGE_HEADER_BYTES, PACKET_HEADER_BYTES, message_header


def message_spans(
    read_at: Callable[[int, int], bytes], size: int, start: int = 0, *, profile: Profile = "strict"
) -> Iterator[tuple[int, int] | WireError]:
    """Yield the first octet and the end of each message, by its headers alone; an error is the last item.

    ``read_at(offset, length)`` returns octets of the stream, which has ``size`` of them. Contents are not read, so a
    large file is split at the borders of its messages by reading 40 octets and seeking.
    """
    strict = profile == "strict"
    while start < size:
        try:
            end = _end_of_message(read_at, size, start, strict)
        except WireError as err:
            yield err
            return
        yield start, end
        start = end


def _end_of_message(read_at: Callable[[int, int], bytes], size: int, start: int, strict: bool) -> int:
    both = MESSAGE_HEADER_BYTES + PACKET_HEADER_BYTES
    octets = read_at(start, both)
    if len(octets) < MESSAGE_HEADER_BYTES:
        raise truncated(size)
    kind, packets = message_header(octets[:MESSAGE_HEADER_BYTES], start, strict=strict)
    at, octets = start + MESSAGE_HEADER_BYTES, octets[MESSAGE_HEADER_BYTES:]
    fields: list[bytes | None] = [None] * 6
    for _ in range(packets):
        octets = octets or read_at(at, PACKET_HEADER_BYTES)
        if len(octets) < PACKET_HEADER_BYTES:
            raise truncated(size)
        packet, length = other_packet(octets, at, start, fields, kind, strict)
        fields[packet] = b""
        at, octets = at + PACKET_HEADER_BYTES + length, b""
        if at > size:
            raise truncated(size)
    return at
