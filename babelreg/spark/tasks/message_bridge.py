"""Bridge of foreign messages to envelopes, before they are validated. This runs on the workers, without a session.

The same message of the same file gives the same envelope, whichever run or task makes it: ids that a message lacks are
made of its bytes, the file's fingerprint and its position (see ``wire.bridge``).
"""

from __future__ import annotations

from collections.abc import Mapping

from babelreg.spark.sources.message_source import Origin
from babelreg.spark.tasks.row_validator import RefusedRow
from babelreg.wire.format import Frame, Receipt, WireError
from babelreg.wire.formats import find
from babelreg.wire.mapping import UNMAPPED, Key, UrnMapping

__all__ = ["NO_ENVELOPE", "MessageBridge", "masked"]

NO_ENVELOPE = "control_message"
"""The reason of a message that controls a queue and carries no payload."""

_NO_ENVELOPE_DETAIL = "the message controls the queue and has no payload, so no row"


class MessageBridge:
    """Makes envelopes of messages. ``mappings`` are the URNs of foreign names, by wire format."""

    def __init__(self, mappings: Mapping[str, Mapping[Key, str]]) -> None:
        self._mappings = {wire: UrnMapping(urns) for wire, urns in mappings.items()}

    def envelope(self, raw: bytes, offset: int, file: str, origin: Origin) -> bytes | RefusedRow:
        """Return the message as an envelope, or the row of its refusal, whose bytes have no secrets."""
        wire = find(origin.wire)
        receipt = Receipt(f"{origin.fingerprint}:{offset}", origin.received_at, origin.clock)
        try:
            frame = Frame(wire.decode(raw), raw, offset)
            body = wire.to_canonical(frame, receipt, mapping=self._mappings.get(origin.wire, UNMAPPED)).body
        except WireError as err:
            return _refused(file, offset, err.code, err.pointer, err.detail, wire.mask(raw))
        if body is None:
            return _refused(file, offset, NO_ENVELOPE, "", _NO_ENVELOPE_DETAIL, wire.mask(raw))
        return body


def masked(raw: bytes, origin: Origin | None) -> bytes:
    """Return a message as it may be stored in quarantine: without secrets."""
    return raw if origin is None else find(origin.wire).mask(raw)


def _refused(file: str, offset: int, reason: str, pointer: str, detail: str, body: bytes) -> RefusedRow:
    return RefusedRow(file, offset, reason, pointer, detail, None, None, None, None, body)
