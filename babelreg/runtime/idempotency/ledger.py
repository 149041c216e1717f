"""What was handled already, so that a message delivered twice takes effect once.

A ledger opens a transaction for each delivery and hands it to the handler as ``context.connection``; the handler
writes its effects there, and the mark that the message was handled is committed with them or not at all.
"""

from __future__ import annotations

import hashlib
from typing import Any, Protocol

from babelreg.runtime.bytes import interop_json

__all__ = ["Ledger", "Unit", "content"]


class Unit(Protocol):
    """The transaction of one delivery.

    ``connection`` is for the handler. ``earlier`` is None for a message that was never handled, else what was given to
    :meth:`commit` then.
    """

    @property
    def connection(self) -> Any: ...

    @property
    def earlier(self) -> str | None: ...

    def commit(self, content: str) -> bool:
        """Mark the message and commit the mark with the handler's effects.

        False, and nothing kept, when another worker marked it in the meantime. Raising anything means once more.
        """
        ...

    def rollback(self) -> None:
        """Keep nothing. Called for every unit that was not committed, also after a commit that raised."""
        ...


class Ledger(Protocol):
    """Remembers which messages were handled. One is used by one consumer at a time in each thread."""

    def begin(self, message_id: str) -> Unit:
        """A transaction for the message with this ``meta.id``; with an empty one there is nothing to remember it by."""
        ...


def content(urn: str, data: Any) -> str:
    """32 hex digits by which the same id with other content is noticed; empty for data too deep to be spelled.

    The same for data that another service passed on, which may have written keys in another order, or 1.0 as 1.
    """
    try:
        spelled = f"{urn}\n{interop_json.encode(data)}"
    except RecursionError:
        return ""
    return hashlib.blake2b(spelled.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
