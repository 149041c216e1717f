"""Footers of parquet files: schema, rows and the smallest and largest values, without reading a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from babelreg.errors import InputError
from babelreg.lake.storage.log.batch_record import RESTORE
from babelreg.lake.storage.parquet import metadata_of

_AT_ONCE = 8
_MOST_COLUMNS = 32
"""Columns with statistics, from the left, as Delta's own writers have them."""

_LONGEST_TEXT = 64
_MILLISECOND = timedelta(milliseconds=1)
_LAST = datetime.max.replace(tzinfo=UTC) - _MILLISECOND

_ORDERED = (
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_string,
    pa.types.is_date32,
    pa.types.is_timestamp,
)

_Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileFooter:
    """A parquet file ``name`` below the lake: its bytes, its time of change, and its footer."""

    name: str
    size: int
    modified_ms: int
    metadata: parquet.FileMetaData

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.metadata.num_rows)

    @property
    def schema(self) -> pa.Schema:
        """The columns, without the metadata of Spark."""
        return self.metadata.schema.to_arrow_schema().remove_metadata()


def read(lake: Path, names: Sequence[str]) -> list[FileFooter]:
    """Return the footers of the files ``names`` below ``lake``. Raises InputError for one that cannot be read."""

    def one(name: str) -> FileFooter:
        path = lake / name
        try:
            status = path.stat()
            return FileFooter(name, status.st_size, status.st_mtime_ns // 1_000_000, metadata_of(path))
        except (OSError, pa.ArrowException) as err:
            raise InputError(f"cannot read {path}, which a manifest lists: {err}", fix=RESTORE) from err

    if len(names) == 1:
        return [one(names[0])]
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        return list(threads.map(one, names))


def union(schemas: Iterable[pa.Schema]) -> pa.Schema:
    """Return a schema with the columns of all ``schemas``, also within structs and lists, in the order of the first.

    Raises InputError where one column has two types.
    """
    distinct = list(dict.fromkeys(schemas))
    try:
        return pa.unify_schemas(distinct, promote_options="permissive")
    except pa.ArrowException as err:
        raise InputError(f"the files of the table do not fit together: {err}", fix=RESTORE) from err


def statistics(footer: FileFooter) -> dict[str, Any]:
    """Return the statistics of a file as Delta has them: rows; least, largest values and nulls of the first columns.

    Values within lists and maps have none. A text is left out where it is long, a decimal where JSON would round it.
    """
    least: dict[str, Any] = {}
    largest: dict[str, Any] = {}
    nulls: dict[str, Any] = {}
    for leaf, path, type_ in _leaves(footer.schema):
        if leaf >= _MOST_COLUMNS:
            break
        chunks = [footer.metadata.row_group(n).column(leaf).statistics for n in range(footer.metadata.num_row_groups)]
        if not chunks or not all(chunk is not None and chunk.has_null_count for chunk in chunks):
            continue
        _put(nulls, path, sum(chunk.null_count for chunk in chunks))
        if (limits := _limits(chunks, type_)) is not None:
            _put(least, path, limits[0])
            _put(largest, path, limits[1])
    return {"numRecords": footer.rows, "minValues": least, "maxValues": largest, "nullCount": nulls}


def _leaves(schema: pa.Schema) -> Iterator[tuple[int, _Path, pa.DataType]]:
    """Yield the columns outside of lists and maps with their number among the columns of the file."""
    number = 0

    def walk(path: _Path, type_: pa.DataType) -> Iterator[tuple[int, _Path, pa.DataType]]:
        nonlocal number
        if pa.types.is_struct(type_):
            for field in type_:
                yield from walk((*path, field.name), field.type)
        elif pa.types.is_nested(type_):
            number += _width(type_)
        else:
            yield number, path, type_
            number += 1

    for field in schema:
        yield from walk((field.name,), field.type)


def _width(type_: pa.DataType) -> int:
    """Return the number of columns of the file that hold values of ``type_``."""
    if pa.types.is_struct(type_):
        return sum(_width(field.type) for field in type_)
    if pa.types.is_map(type_):
        return _width(type_.key_type) + _width(type_.item_type)
    return _width(type_.value_type) if pa.types.is_list(type_) else 1


def _limits(chunks: Sequence[parquet.Statistics], type_: pa.DataType) -> tuple[Any, Any] | None:
    """Return the least and the largest value as JSON has them; None where there are none or they would not be exact."""
    if not any(orders(type_) for orders in _ORDERED):
        return None
    filled = [chunk for chunk in chunks if chunk.num_values]
    if not filled or not all(chunk.has_min_max for chunk in filled):
        return None
    low, high = min(chunk.min for chunk in filled), max(chunk.max for chunk in filled)
    if isinstance(low, str) and max(len(low), len(high)) > _LONGEST_TEXT:
        return None
    return _json(low, largest=False), _json(high, largest=True)


def _json(value: Any, *, largest: bool) -> Any:
    if isinstance(value, datetime):
        whole = value.replace(microsecond=value.microsecond // 1000 * 1000)
        if largest and whole != value:
            if whole > _LAST:
                return None
            whole += _MILLISECOND
        return whole.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else value


def _put(members: dict[str, Any], path: _Path, value: Any) -> None:
    for name in path[:-1]:
        members = members.setdefault(name, {})
    if value is not None:
        members[path[-1]] = value
