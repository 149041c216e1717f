"""Parquet files of a lake: paths for Spark, row counts, and reading with all check sums verified.

Without them a flipped bit gives another value, or another number of them, without a word. Pages have check sums of
parquet; the footer has none, so the name of a file has it: ``part-00000-1a2b3c4d.parquet``. A manifest names the file,
and has a check sum itself. Files that an earlier version wrote have neither, and are read as before.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.errors import InputError

if TYPE_CHECKING:
    import pyarrow.dataset
    import pyarrow.parquet

_AT_ONCE = 8

_MAGIC = b"PAR1"
_TAIL = 8
"""Bytes behind the footer: its length and the magic number."""

_CHECKSUM = re.compile(r"-([0-9a-f]{8})\.parquet")


def address(path: Path) -> str:
    """Return ``path`` as a URL for Spark, local even if the default file system is another one."""
    return f"file://{path.absolute()}"  # not as_uri(): Hadoop does not decode percent signs


def files_in(folder: Path) -> tuple[Path, ...]:
    """Return the parquet files directly in ``folder``, sorted by name; none if there is no folder."""
    return tuple(sorted(path for path in folder.glob("*.parquet") if not path.name.startswith((".", "_"))))


def rows_in(files: Sequence[Path]) -> int:
    """Return the number of rows in ``files``."""
    return sum(metadata_of(path).num_rows for path in files)


def footer_checksum(path: Path) -> str | None:
    """Return the CRC of the footer of ``path`` in hex digits; None where it is not a parquet file. Raises OSError."""
    footer = _footer(path)
    return None if footer is None else f"{zlib.crc32(footer):08x}"


def metadata_of(path: Path | str) -> pyarrow.parquet.FileMetaData:
    """Return the footer of ``path``, verified where the name has its check sum. Raises OSError, ArrowException."""
    import pyarrow as pa
    from pyarrow import parquet

    name = os.fspath(path)
    recorded = _CHECKSUM.search(name, max(len(name) - 17, 0))
    footer = _footer(path)
    if footer is None:
        raise OSError(f"{name} does not end like a parquet file")
    if recorded and f"{zlib.crc32(footer):08x}" != recorded[1]:
        raise OSError(f"the footer of {name} is damaged: its check sum is not {recorded[1]}")
    return parquet.read_metadata(pa.BufferReader(footer))


def footers(paths: Sequence[str]) -> list[pyarrow.parquet.FileMetaData]:
    """Return :func:`metadata_of` each of ``paths``, which are read several at once. Raises as it does."""
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        return list(threads.map(metadata_of, paths))


def _footer(path: Path | str) -> bytes | None:
    """Return the footer with its length and the magic number; None where there is none."""
    with open(path, "rb") as file:  # noqa: PTH123 -- the path may be a text
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - _TAIL, 0))
        tail = file.read(_TAIL)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != _MAGIC or length + _TAIL > size:
            return None
        file.seek(size - _TAIL - length)
        return file.read(length + _TAIL)


def opened(path: Path | str, **options: Any) -> pyarrow.parquet.ParquetFile:
    """Return the file ``path``; ``options`` are those of pyarrow. Opening and reading raise OSError, ArrowException."""
    from pyarrow import parquet

    if "metadata" not in options:
        options["metadata"] = metadata_of(path)
    return parquet.ParquetFile(path, page_checksum_verification=True, **options)


def unreadable(path: Path | str, err: Exception) -> InputError:
    """Return the error to raise where opening or reading a file of a lake raised ``err``."""
    reason = (err.strerror if isinstance(err, OSError) else None) or err
    return InputError(
        f"cannot read {path}, which the manifest lists: {reason}",
        fix="restore the file from a backup, or ingest the whole input again into a new lake",
    )


def table_of(path: Path, columns: Sequence[str] | None = None, **options: Any) -> pyarrow.Table:
    """Return the rows of ``path``. Raises OSError, ArrowException."""
    with opened(path, **options) as file:
        return file.read(columns=None if columns is None else list(columns))


def dataset_of(paths: Sequence[str], schema: pyarrow.Schema | None) -> pyarrow.dataset.Dataset:
    """Return the rows of ``paths``, of which :func:`footers` were read, as a dataset with the columns of ``schema``."""
    from pyarrow import dataset as datasets

    verified = datasets.ParquetFragmentScanOptions(page_checksum_verification=True)
    of_parquet = datasets.ParquetFileFormat(default_fragment_scan_options=verified)
    return datasets.dataset(paths, schema=schema, format=of_parquet)
