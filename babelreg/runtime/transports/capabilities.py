"""Capabilities of the broker of a transport: what it carries beside the body of a message."""

from __future__ import annotations

from typing import Literal, NamedTuple

from babelqueue.transport import HeaderPublisher, InMemoryTransport, Transport

KEY_HEADER = "babelreg-key"
"""The header that holds the ordering key where the broker has no keys."""


class Capabilities(NamedTuple):
    """``headers``: always, never, or declared: where the registry says that consumers read frames (Redis).

    ``keys``: messages have ordering keys without headers. ``delays``: messages can be delivered later.
    """

    headers: Literal["always", "declared", "never"]
    keys: bool = False
    delays: bool = False


ALWAYS, NEVER = Capabilities("always"), Capabilities("never")
# A test in memory knows no broker: what Redis would refuse is refused.
_MEMORY = Capabilities("declared", keys=True)


def capabilities(transport: Transport) -> Capabilities:
    """Return what a transport of ours says of itself, else what the interfaces of babelqueue tell."""
    own: Capabilities | None = getattr(transport, "capabilities", None)
    if own is not None:
        return own
    if isinstance(transport, InMemoryTransport):
        return _MEMORY
    # babelqueue's own transport for Redis drops headers in one of its layouts.
    framed = type(transport).__module__ == "babelqueue.redis_transport"
    return ALWAYS if isinstance(transport, HeaderPublisher) and not framed else NEVER
