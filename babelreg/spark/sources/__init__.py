"""Where messages come from: one module a kind of source.

A source is a DataFrame that says what to read, and a function that turns its Arrow batches into messages inside the
Arrow pass. ``files`` is the only one so far; a queue or a broker is a sibling of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Piece", "Source"]


@dataclass(frozen=True, slots=True)
class Piece:
    """Some messages in a row from one place.

    ``name`` is the file as the source names it, ``bodies`` the messages as
    raw bytes and ``offsets`` where each begins.
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

    def body(self, name: str, offset: int, length: int) -> bytes:
        """The bytes of one message again, as :meth:`pieces` gave them. Called on the workers.

        Raises InputError when they are no longer there.
        """
        ...
