"""Message ids of one batch: written by the tasks as sorted Arrow files, compared to find repeats.

Each task writes files sorted by key, with a row a message::

    high, low      the halves of the key, see ``id_run``
    content        the digest of URN and data
    table_id       the number of its URN
    file, offset   its position; ``file`` is an index into the names in the metadata of the file
    size           the length of its bytes

Keys are digests, so equal slices of their range hold about as many rows each. Each slice is compared by itself: with
itself, and with the id runs of all batches before.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from babelreg.lake.storage import id_run

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

_ROWS = 1_000_000
"""Rows buffered before a file is written."""

_NAMES = b"files"
_DIGEST_BYTES = 16
_COLUMNS = ["table_id", "source_file", "source_offset", "size", "key", "content"]


class IdDigests:
    """Digests of messages, by which they are compared. ``urns`` are those of the names that were sent, by number."""

    def __init__(self, urns: Sequence[str]) -> None:
        self._salts = [blake2b(urn.encode() + b"\0", digest_size=_DIGEST_BYTES) for urn in urns]

    def of(
        self, message_ids: Sequence[str | None], name_ids: Sequence[int], written: Sequence[bytes]
    ) -> tuple[pa.Array, pa.Array]:
        """Return the keys of ids (see ``id_run``), null without one, and the contents: the digests of URN and data."""
        key, salts, contents = id_run.key, self._salts, []
        for name_id, text in zip(name_ids, written, strict=True):
            digest = salts[name_id].copy()
            digest.update(text)
            contents.append(digest.digest())
        keys = [None if message_id is None else key(message_id) for message_id in message_ids]
        return _digests(keys), _digests(contents)


class IdWriter:
    """Collects the ids of one task's messages. ``written`` are the files below ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.written: list[Path] = []
        self._clear()

    def _clear(self) -> None:
        self._buffer: list[pa.Table] = []
        self._rows = 0

    def add(self, rows: pa.Table) -> None:
        """Add accepted ``rows``. Rows without a key are skipped: they cannot be repeats."""
        with_key = rows.select(_COLUMNS)
        if with_key["key"].null_count:
            with_key = with_key.filter(with_key["key"].is_valid())
        self._buffer.append(with_key.combine_chunks())
        self._rows += len(with_key)
        if self._rows >= _ROWS:
            self.flush()

    def flush(self) -> None:
        """Write the buffered rows to a file."""
        if not self._rows:
            return
        import numpy as np
        import pyarrow as pa

        rows = pa.concat_tables(self._buffer).combine_chunks()
        records = id_run.IdRecords.of(_bytes(rows["key"]), _bytes(rows["content"]))
        order = np.lexsort((records.low, records.high))
        names = rows["source_file"].combine_chunks().dictionary_encode()
        columns = {
            "high": pa.array(records.high[order]),
            "low": pa.array(records.low[order]),
            "content": _fixed(records.content[order]),
            "table_id": rows["table_id"].take(order),
            "file": names.indices.take(pa.array(order)),
            "offset": rows["source_offset"].take(order),
            "size": rows["size"].take(order),
        }
        metadata = json.dumps(names.dictionary.to_pylist())
        table = pa.table(columns).combine_chunks().replace_schema_metadata({_NAMES: metadata})
        path = self._folder / f"{uuid4().hex}.ids"
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table)
        self.written.append(path)
        self._clear()


@dataclass(frozen=True, slots=True)
class SliceComparison:
    """Result of comparing one slice of the keys: ``new`` ids, and repeats.

    ``repeats`` has the columns table_id, file, offset, size and conflict (True where the content differs).
    """

    new: id_run.IdRecords
    repeats: pa.Table


def compare(files: Sequence[Path], runs: Sequence[Path], number: int = 0, slices: int = 1) -> SliceComparison:
    """Compare slice ``number`` of ``slices`` of the keys in ``files`` with each other and with the ``runs`` before.

    The first message by file and position is kept; none is whose key is in a run.
    """
    import numpy as np
    import pyarrow as pa

    rows = _read(files, number, slices)
    order = np.lexsort((rows.offset, rows.rank, rows.low, rows.high))
    high, low, content = rows.high[order], rows.low[order], rows.content[order]
    first = np.ones(len(order), bool)
    first[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
    leads, group = np.flatnonzero(first), np.cumsum(first) - 1
    known_before, known_content = id_run.known(runs, high[leads], low[leads])
    known_content[~known_before] = content[leads][~known_before]
    repeated = np.flatnonzero(~first | known_before[group])
    conflict = (_halves(content[repeated]) != _halves(known_content[group[repeated]])).any(axis=1)
    numbers = order[repeated]
    repeats = {
        "table_id": pa.array(rows.table_id[numbers]),
        "file": pa.array(rows.names, pa.string()).take(pa.array(rows.rank[numbers])),
        "offset": pa.array(rows.offset[numbers]),
        "size": pa.array(rows.size[numbers]),
        "conflict": pa.array(conflict),
    }
    fresh = leads[~known_before]
    return SliceComparison(id_run.IdRecords(high[fresh], low[fresh], content[fresh]), pa.table(repeats))


class _IdColumns(NamedTuple):
    """Rows of several files. ``rank`` is the index of the file's name in ``names``, which are sorted."""

    names: list[str]
    high: id_run.Numbers
    low: id_run.Numbers
    content: NDArray[np.void]
    table_id: NDArray[np.int32]
    rank: NDArray[np.int64]
    offset: NDArray[np.int64]
    size: NDArray[np.int64]


def _read(files: Sequence[Path], number: int, slices: int) -> _IdColumns:
    """Read one slice of the keys."""
    import numpy as np
    import pyarrow as pa

    tables = [pa.ipc.open_file(pa.memory_map(str(path))).read_all() for path in files]
    file_names = [json.loads(table.schema.metadata[_NAMES]) for table in tables]
    names = sorted({name for names_of_file in file_names for name in names_of_file})
    ranks = {name: rank for rank, name in enumerate(names)}
    step = 2**64 // slices
    parts: list[dict[str, Any]] = []
    for table, names_of_file in zip(tables, file_names, strict=True):
        high = table["high"].to_numpy()
        start = int(np.searchsorted(high, np.uint64(number * step)))
        end = len(high) if number + 1 == slices else int(np.searchsorted(high, np.uint64((number + 1) * step)))
        part = table.slice(start, end - start)
        rank = np.array([ranks[name] for name in names_of_file], np.int64)[part["file"].to_numpy()]
        plain = {name: part[name].to_numpy() for name in ("high", "low", "table_id", "offset", "size")}
        columns = {**plain, "content": _void(part["content"].combine_chunks()), "rank": rank}
        parts.append(columns)
    return _IdColumns(names, *(np.concatenate([part[name] for part in parts]) for name in _IdColumns._fields[1:]))


def _bytes(column: pa.ChunkedArray) -> bytes:
    """Concatenate values of 16 bytes each, none of them null."""
    return b"".join(_void(chunk).tobytes() for chunk in column.chunks)


def _digests(values: Sequence[bytes | None]) -> pa.Array:
    import pyarrow as pa

    if None in values:
        return pa.array(values, pa.binary(_DIGEST_BYTES))
    joined = pa.py_buffer(b"".join(values))  # type: ignore[arg-type]
    return pa.Array.from_buffers(pa.binary(_DIGEST_BYTES), len(values), [None, joined])


def _fixed(content: NDArray[np.void]) -> pa.Array:
    import pyarrow as pa

    return pa.Array.from_buffers(pa.binary(16), len(content), [None, pa.py_buffer(content.tobytes())])


def _void(chunk: pa.FixedSizeBinaryArray) -> NDArray[np.void]:
    """View values of 16 bytes each as a NumPy array."""
    import numpy as np

    return np.frombuffer(chunk.buffers()[1], "V16", len(chunk), 16 * chunk.offset)


def _halves(content: NDArray[np.void]) -> id_run.Numbers:
    return content.view("<u8").reshape(-1, 2)
