"""The interface of ledgers of handled messages, which make a message that is delivered twice take effect once.

A ledger opens a transaction for each delivery and passes it to the handler as ``context.connection``; the handler
writes its effects there, and the mark that the message was handled is committed together with them.
"""

from __future__ import annotations

import hashlib
from typing import Any, Protocol

from babelreg.runtime.bytes import interop_json

__all__ = ["Ledger", "Unit", "content_digest"]


class Unit(Protocol):
    """The transaction of one delivery.

    ``connection`` is for the handler. ``earlier`` is None for a message that was never handled, else the digest that
    was passed to :meth:`commit` then.
    """

    @property
    def connection(self) -> Any: ...

    @property
    def earlier(self) -> str | None: ...

    def commit(self, content: str) -> bool:
        """Mark the message and commit the mark with the handler's effects.

        Returns False, and commits nothing, if another worker marked it in the meantime. Any exception causes a retry.
        """
        ...

    def rollback(self) -> None:
        """Roll back. Called for every unit that was not committed, also after a commit that raised."""
        ...


class Ledger(Protocol):
    """A record of handled messages. Each thread uses it for one consumer at a time."""

    def begin(self, message_id: str) -> Unit:
        """Begin the transaction of the message with this ``meta.id``; a message with an empty id is not recorded."""
        ...


def content_digest(urn: str, data: Any) -> str:
    """Return 32 hex digits that tell messages with the same id apart; empty for data that nests too deep to encode.

    The digest does not depend on the order of keys or on 1.0 versus 1, which services that pass a message on may
    change.
    """
    try:
        text = f"{urn}\n{interop_json.encode(data)}"
    except RecursionError:
        return ""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
