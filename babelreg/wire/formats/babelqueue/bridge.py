"""Bridge of BabelQueue to itself: the canonical form is the message, byte for byte."""

from __future__ import annotations

from babelreg.contract import Envelope
from babelreg.wire.format import Canonical, CanonicalFields, Foreign, Frame, Receipt
from babelreg.wire.formats.babelqueue.codec import decode
from babelreg.wire.mapping import UNMAPPED, UrnMapping


def to_canonical(
    frame: Frame, receipt: Receipt, *, mapping: UrnMapping = UNMAPPED, queue: str | None = None
) -> Canonical:
    """Return the bytes of the message; nothing is lost, and nothing is validated."""
    return Canonical(frame.raw)


def canonical_fields(
    frame: Frame, receipt: Receipt, *, mapping: UrnMapping = UNMAPPED, queue: str | None = None
) -> CanonicalFields | None:
    """See Format: the envelope is carried."""
    return None


def from_canonical(body: bytes, *, mapping: UrnMapping = UNMAPPED) -> Foreign:
    """Return the envelope.

    Raises WireError for a body that is poison.
    """
    envelope: Envelope = decode(body)
    return Foreign(envelope)
