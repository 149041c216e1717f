"""PHPMQ messages that break a rule of their type, but have a beginning and an end.

Headers that are sound say where a message ends, whatever its packets are. So a reader can name what it refuses by its
queue and id, and go on behind it.
"""

from __future__ import annotations

from dataclasses import replace

from babelreg.runtime.wires.payload import Refused
from babelreg.wire.format import WireError
from babelreg.wire.formats.phpmq.headers import MESSAGE_HEADER_BYTES, PACKET_HEADER_BYTES, limits, packet_header
from babelreg.wire.formats.phpmq.json_form import NAMES
from babelreg.wire.formats.phpmq.models import PacketMessage


class RefusedPackets:
    """A refused message of a stream; ``feed`` takes its bytes, from its first one on."""

    def __init__(self, refused: Refused) -> None:
        self._refused = refused
        self._buffer = bytearray()

    @property
    def refused(self) -> Refused:
        """The message while its end has not come: without what could be read of it."""
        return self._refused

    def feed(self, data: bytes) -> tuple[Refused, bytes, int] | None:
        """Return the message, the bytes behind it, and the number of its own; None while its end has not come.

        Raises WireError where its headers do not say where it ends: the stream is over.
        """
        self._buffer += data
        raw = self._buffer
        if len(raw) < MESSAGE_HEADER_BYTES:
            return None
        head = bytes(raw[:MESSAGE_HEADER_BYTES])
        if head[:3] != b"H01" or not head[3:].isdigit():
            raise WireError(self._refused.code, self._refused.detail)
        contents: dict[int, list[bytes]] = {}
        at = MESSAGE_HEADER_BYTES
        for _ in range(int(head[6:])):
            body = at + PACKET_HEADER_BYTES
            if len(raw) < body:
                return None
            packet, length = packet_header(bytes(raw[at:body]), at, limits.message_bytes - body, strict=True)
            if len(raw) < body + length:
                return None
            at = body + length
            contents.setdefault(packet, []).append(bytes(raw[body:at]))
        return self._addressed(int(head[3:6]), contents), bytes(raw[at:]), at

    def _addressed(self, kind: int, contents: dict[int, list[bytes]]) -> Refused:
        single = {packet: values[0] for packet, values in contents.items() if len(values) == 1}
        message = PacketMessage(kind, single.get(1, b""), single.get(2), single.get(3))
        return replace(self._refused, message=message, id=message.message_id, kind=NAMES.get(kind))
