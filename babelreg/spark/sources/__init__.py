"""Where messages come from: one module a kind of source.

A source is a DataFrame that says what to read, and a function that turns its Arrow batches into messages inside the
Arrow pass. ``files`` reads a folder, ``quarantined`` what was refused before; a queue or a broker is a sibling of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Piece", "Source", "landed_name"]


def landed_name(batch: int, name: str) -> str:
    """What a file is called until its rows are in tables: the batch that read it stands before its name.

    So a position is that of one message, though two folders may hold files of one name, and sorts as it was read.
    """
    return f"{batch:08d}/{name}"


@dataclass(frozen=True, slots=True)
class Piece:
    """Some messages in a row from one place.

    ``name`` is the file as :func:`landed_name` puts it, ``bodies`` the messages as raw bytes and ``offsets`` where each
    begins.
    """

    name: str
    bodies: list[bytes]
    offsets: list[int]


class Source(Protocol):
    """What a batch reads. Instances travel to the workers, so they hold plain data only."""

    def frame(self, session: SparkSession) -> DataFrame:
        """What to read, one row a unit of work: what :meth:`pieces` understands."""
        ...

    def pieces(self, batch: pa.RecordBatch) -> Iterator[Piece]:
        """The messages behind the rows of ``batch``. Called on the workers."""
        ...

    def with_bodies(self, rows: DataFrame) -> DataFrame:
        """Landed ``rows`` (``source_file``, ``source_offset``, ``source_bytes`` and others) with the column ``body``.

        The bytes are those that :meth:`pieces` gave; when they are no longer there, the job fails with an InputError.
        """
        ...
