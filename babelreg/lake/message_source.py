"""Interface between an input and the validation job: input splits on the driver, messages on the workers.

``message_files`` reads a folder, ``quarantine_source`` messages that were refused before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from babelreg.wire.format import Clock

if TYPE_CHECKING:
    import pyarrow as pa

SPLIT_BYTES = 72 * 1024 * 1024
"""Approximate upper bound of an input split, where the source can be split."""


class Origin(NamedTuple):
    """The circumstances of a file of foreign messages, from which bridged messages take their ids and times.

    ``fingerprint`` is that of the bytes that the manifest says were read; ``received_at`` is in Unix milliseconds, and
    ``clock`` names its source.
    """

    wire: str
    fingerprint: str
    received_at: int
    clock: Clock


def staged_name(batch: int, name: str) -> str:
    """Return the name of a file in staging: the number of the batch that read it, then its own name.

    So a position stays unique where two folders hold files of one name, and positions sort in reading order.
    """
    return f"{batch:08d}/{name}"


@dataclass(frozen=True, slots=True)
class MessageChunk:
    """Some consecutive messages of one file.

    ``name`` is that of :func:`staged_name`, ``bodies`` are the raw messages and ``offsets`` their first bytes.
    Messages of a foreign wire format have an ``origin``. ``exact`` is that of ``number_scan`` for each message, None
    where it was not searched for.
    """

    name: str
    bodies: list[bytes]
    offsets: list[int]
    origin: Origin | None = None
    exact: list[bool] | None = None


class MessageSource(Protocol):
    """Input of a batch. Instances are pickled to the workers, so they hold plain data only."""

    @property
    def size(self) -> int:
        """Approximate number of bytes of all messages."""
        ...

    def splits(self, tasks: int) -> Sequence[Any]:
        """Return the work of one task each, the longest first. ``tasks`` run at a time."""
        ...

    def chunks(self, split: Any) -> Iterator[MessageChunk]:
        """Yield the messages of an input split. Runs on the workers."""
        ...

    def with_bodies(self, rows: pa.Table) -> Iterator[pa.Table]:
        """Yield staged ``rows`` (``source_file``, ``source_offset``, ``source_bytes``, ...) with the column ``body``.

        ``rows`` are sorted by position; they come in that order, a bounded part at a time. The bytes are those that
        :meth:`chunks` gave. Raises InputError if they are no longer there.
        """
        ...
