"""Where messages come from: one module a kind of source.

A source says what there is to read as splits, plain data, and has a function that turns a split into messages inside
the Arrow pass. ``files`` reads a folder, ``quarantined`` what was refused before; a queue or a broker is a sibling of
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["SPLIT_BYTES", "MessageChunk", "MessageSource", "staged_name"]

SPLIT_BYTES = 72 * 1024 * 1024
"""About how much a task is given to read at most, where a source can be cut."""


def staged_name(batch: int, name: str) -> str:
    """What a file is called until its rows are in tables: the batch that read it stands before its name.

    So a position is that of one message, though two folders may hold files of one name, and sorts as it was read.
    """
    return f"{batch:08d}/{name}"


@dataclass(frozen=True, slots=True)
class MessageChunk:
    """Some messages in a row from one place.

    ``name`` is the file as :func:`staged_name` puts it, ``bodies`` the messages as raw bytes and ``offsets`` where each
    begins.
    """

    name: str
    bodies: list[bytes]
    offsets: list[int]


class MessageSource(Protocol):
    """What a batch reads. Instances travel to the workers, so they hold plain data only."""

    def splits(self, tasks: int) -> Sequence[Any]:
        """What to read, in the order in which it is best begun: the work of one task each.

        ``tasks`` are at work at a time.
        """
        ...

    def chunks(self, split: Any) -> Iterator[MessageChunk]:
        """The messages of a split. Called on the workers."""
        ...

    def with_bodies(self, rows: DataFrame) -> DataFrame:
        """Landed ``rows`` (``source_file``, ``source_offset``, ``source_bytes`` and others) with the column ``body``.

        The bytes are those that :meth:`chunks` gave; when they are no longer there, the job fails with an InputError.
        """
        ...
