"""The ids of a batch's accepted messages: who was there before, told from sorted numbers alone.

Each task of the landing writes files of them, sorted by key: an Arrow file with a row a message::

    high, low      the halves of the key, see ``ids``
    content        the digest of URN and data
    table_id          the number of its URN
    file, offset   its position; ``file`` counts the names in the metadata of the file
    size           the length of its bytes

Keys are digests, so equal slices of their range hold about as many rows each: one slice at a time is compared, each by
itself, with itself and with the runs of all batches before.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from babelreg.spark.lake import id_run

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["IdWriter", "Slice", "compare"]

_ROWS = 1_000_000
"""How many rows are held before a file is written."""

_NAMES = b"files"
_COLUMNS = ["table_id", "source_file", "source_offset", "size", "key", "content"]


class IdWriter:
    """Collects the ids of one task's messages. ``written`` are the files below ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.written: list[Path] = []
        self._clear()

    def _clear(self) -> None:
        self._held: list[pa.Table] = []
        self._rows = 0

    def add(self, rows: pa.Table) -> None:
        """Take accepted ``rows`` of the writer. Those without a key are left out: they repeat nothing."""
        kept = rows.select(_COLUMNS)
        if kept["key"].null_count:
            kept = kept.filter(kept["key"].is_valid())
        self._held.append(kept.combine_chunks())
        self._rows += len(kept)
        if self._rows >= _ROWS:
            self.flush()

    def flush(self) -> None:
        """Write what is held."""
        if not self._rows:
            return
        import numpy as np
        import pyarrow as pa

        held = pa.concat_tables(self._held).combine_chunks()
        records = id_run.Records.of(_bytes(held["key"]), _bytes(held["content"]))
        order = np.lexsort((records.low, records.high))
        names = held["source_file"].combine_chunks().dictionary_encode()
        columns = {
            "high": pa.array(records.high[order]),
            "low": pa.array(records.low[order]),
            "content": _fixed(records.content[order]),
            "table_id": held["table_id"].take(order),
            "file": names.indices.take(pa.array(order)),
            "offset": held["source_offset"].take(order),
            "size": held["size"].take(order),
        }
        told = json.dumps(names.dictionary.to_pylist())
        table = pa.table(columns).combine_chunks().replace_schema_metadata({_NAMES: told})
        path = self._folder / f"{uuid4().hex}.ids"
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table)
        self.written.append(path)
        self._clear()


@dataclass(frozen=True, slots=True)
class Slice:
    """What was found in a slice of the keys: ids that are ``new``, and repeats.

    ``repeats`` has the columns table_id, file, offset, size and conflict: whether its content is another.
    """

    new: id_run.Records
    repeats: pa.Table


def compare(files: Sequence[Path], runs: Sequence[Path], number: int = 0, slices: int = 1) -> Slice:
    """Compare slice ``number`` of ``slices`` of the keys in ``files`` with each other, and with the ``runs`` before.

    The first by file and position stands; none does whose key is in a run.
    """
    import numpy as np
    import pyarrow as pa

    found = _read(files, number, slices)
    order = np.lexsort((found.offset, found.rank, found.low, found.high))
    high, low, content = found.high[order], found.low[order], found.content[order]
    first = np.ones(len(order), bool)
    first[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
    leads, group = np.flatnonzero(first), np.cumsum(first) - 1
    there, kept = id_run.known(runs, high[leads], low[leads])
    kept[~there] = content[leads][~there]
    repeated = np.flatnonzero(~first | there[group])
    conflict = (_halves(content[repeated]) != _halves(kept[group[repeated]])).any(axis=1)
    rows = order[repeated]
    repeats = {
        "table_id": pa.array(found.table_id[rows]),
        "file": pa.array(found.names, pa.string()).take(pa.array(found.rank[rows])),
        "offset": pa.array(found.offset[rows]),
        "size": pa.array(found.size[rows]),
        "conflict": pa.array(conflict),
    }
    fresh = leads[~there]
    return Slice(id_run.Records(high[fresh], low[fresh], content[fresh]), pa.table(repeats))


class _Columns(NamedTuple):
    """Rows of several files. ``rank`` is the number of the file's name in ``names``, which are sorted."""

    names: list[str]
    high: id_run.Numbers
    low: id_run.Numbers
    content: NDArray[np.void]
    table_id: NDArray[np.int32]
    rank: NDArray[np.int64]
    offset: NDArray[np.int64]
    size: NDArray[np.int64]


def _read(files: Sequence[Path], number: int, slices: int) -> _Columns:
    """The rows of one slice of the keys."""
    import numpy as np
    import pyarrow as pa

    tables = [pa.ipc.open_file(pa.memory_map(str(path))).read_all() for path in files]
    told = [json.loads(table.schema.metadata[_NAMES]) for table in tables]
    names = sorted({name for some in told for name in some})
    ranks = {name: rank for rank, name in enumerate(names)}
    step = 2**64 // slices
    parts: list[dict[str, Any]] = []
    for table, some in zip(tables, told, strict=True):
        high = table["high"].to_numpy()
        start = int(np.searchsorted(high, np.uint64(number * step)))
        end = len(high) if number + 1 == slices else int(np.searchsorted(high, np.uint64((number + 1) * step)))
        part = table.slice(start, end - start)
        rank = np.array([ranks[name] for name in some], np.int64)[part["file"].to_numpy()]
        plain = {name: part[name].to_numpy() for name in ("high", "low", "table_id", "offset", "size")}
        made = {**plain, "content": _void(part["content"].combine_chunks()), "rank": rank}
        parts.append(made)
    return _Columns(names, *(np.concatenate([part[name] for part in parts]) for name in _Columns._fields[1:]))


def _bytes(column: pa.ChunkedArray) -> bytes:
    """Values of 16 bytes each, none of them null, one after the other."""
    return b"".join(_void(chunk).tobytes() for chunk in column.chunks)


def _fixed(content: NDArray[np.void]) -> pa.Array:
    import pyarrow as pa

    return pa.Array.from_buffers(pa.binary(16), len(content), [None, pa.py_buffer(content.tobytes())])


def _void(chunk: pa.FixedSizeBinaryArray) -> NDArray[np.void]:
    """Values of 16 bytes each."""
    import numpy as np

    return np.frombuffer(chunk.buffers()[1], "V16", len(chunk), 16 * chunk.offset)


def _halves(content: NDArray[np.void]) -> id_run.Numbers:
    return content.view("<u8").reshape(-1, 2)
