"""Files of segments: a folder a day, no repeated rows, none left of a task that failed."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from babelreg.lake.storage.parquet import table_of
from babelreg.lake.tasks.segment_files import RepeatedMessages, SegmentFiles, TableFolder, UnpackedSegments, write_file
from babelreg.lake.tasks.segment_format import MESSAGE, REFUSED_TABLE, TABLE, segments_of

DAYS = [date(2026, 5, 28), date(2026, 5, 29), None]


def rows(first: int, count: int) -> pa.Table:
    instants = [
        None if (day := DAYS[n % 3]) is None else datetime(day.year, day.month, day.day, 23, 59, 59, 999_999, UTC)
        for n in range(first, first + count)
    ]
    numbers = list(range(first, first + count))
    return pa.table(
        {
            "n": numbers,
            MESSAGE: numbers,
            "created_at": pa.array(instants, pa.timestamp("us", "UTC")),
            "message_id": [f"i{n}" for n in numbers],
        }
    )


def given(*segments: tuple[int, int, pa.Table]) -> Iterator[pa.RecordBatch]:
    """Segments with their files and tables, as Spark hands them to a task."""
    for file, table, of in segments:
        for batch in segments_of(table, of):
            arrays = [pa.array([file], pa.int32()), batch.column("table"), batch.column("segment")]
            yield pa.RecordBatch.from_arrays(arrays, ["file", "table", "segment"])


def written(function: SegmentFiles, batches: Iterator[pa.RecordBatch]) -> list[dict[str, Any]]:
    return [row for batch in function(batches) for row in batch.to_pylist()]


def test_each_day_of_a_file_is_a_file_in_its_partition(tmp_path: Path) -> None:
    folder = TableFolder(str(tmp_path), ("n", "created_at"), {}, "created_at", "created_day")
    files = written(SegmentFiles({4: folder}), given((0, 4, rows(0, 5)), (0, 4, rows(5, 5)), (1, 4, rows(10, 1))))
    found: Counter[str | None] = Counter()
    for file in files:
        assert file["path"].startswith(f"created_day={file['day'] or '__HIVE_DEFAULT_PARTITION__'}/part-")
        found[file["day"]] += file["rows"]
    assert (len(files), found) == (4, {"2026-05-28": 4, "2026-05-29": 4, None: 3})
    tables = [parquet.read_table(tmp_path / file["path"], partitioning=None) for file in files]
    assert sorted(pa.concat_tables(tables)["n"].to_pylist()) == list(range(11))
    for file in files:
        path = tmp_path / file["path"]
        statistics = json.loads(file["statistics"])
        assert (file["size"], statistics["numRecords"]) == (path.stat().st_size, file["rows"])
        assert parquet.read_metadata(path).metadata[b"org.apache.spark.version"]


def test_repeated_messages_are_left_out_and_conflicts_are_refused(tmp_path: Path) -> None:
    members = {"reason": "id_conflict"}
    repeated = RepeatedMessages(pa.array([1, 2]), pa.array([4]), members)
    folders = {
        0: TableFolder(str(tmp_path / "rows"), ("n",)),
        REFUSED_TABLE: TableFolder(str(tmp_path / "refused"), ("batch", "reason", "message_id"), {"batch": 7}),
    }
    files = written(SegmentFiles(folders, repeated), given((0, 0, rows(0, 6))))
    read = {file["table"]: parquet.read_table(Path(folders[file["table"]].path) / file["path"]) for file in files}
    assert read[0]["n"].to_pylist() == [0, 3, 5]
    assert read[REFUSED_TABLE].to_pylist() == [{"batch": 7, "reason": "id_conflict", "message_id": "i4"}]


def test_a_table_of_repeated_messages_alone_gets_no_file(tmp_path: Path) -> None:
    repeated = RepeatedMessages(pa.array([0, 1]), pa.array([], pa.int64()), {})
    assert written(SegmentFiles({0: TableFolder(str(tmp_path), ("n",))}, repeated), given((0, 0, rows(0, 2)))) == []
    assert not list(tmp_path.iterdir())


def test_a_task_that_fails_leaves_no_file(tmp_path: Path) -> None:
    def broken() -> Iterator[pa.RecordBatch]:
        yield from given((0, 0, rows(0, 3)), (1, 1, rows(0, 3)), (2, 0, rows(3, 3)))
        assert list(tmp_path.rglob("*.parquet"))
        raise OSError("the disk is gone")

    folders = {number: TableFolder(str(tmp_path / str(number)), ("n",)) for number in (0, 1)}
    with pytest.raises(OSError, match="gone"):
        written(SegmentFiles(folders), broken())
    assert not list(tmp_path.rglob("*.parquet"))


def test_unpacked_segments_are_their_rows_with_nulls_for_what_they_lack() -> None:
    segments = (batch for batch in given((0, 3, rows(0, 2)), (0, REFUSED_TABLE, rows(2, 1))))
    batches = (batch.select(["table", "segment"]) for batch in segments)
    schema = pa.schema([("message_id", pa.string()), (TABLE, pa.int32()), ("reason", pa.string())])
    unpacked = [row for batch in UnpackedSegments(schema, ("n",))(batches) for row in batch.to_pylist()]
    assert unpacked == [
        {"message_id": "i0", TABLE: 3, "reason": None, "n": 0},
        {"message_id": "i1", TABLE: 3, "reason": None, "n": 1},
        {"message_id": "i2", TABLE: None, "reason": None, "n": 2},
    ]


@pytest.mark.parametrize("count", [7, 20_000], ids=["a small file, written at once", "a large file"])
def test_a_flipped_bit_in_a_file_gives_no_other_values(count: int, tmp_path: Path) -> None:
    """Files that tasks write for a Delta table, which foreign readers may verify."""
    data = pa.table({"n": range(count), "text": [f"text {n % 9}" for n in range(count)]})
    row = write_file(TableFolder(str(tmp_path), ("n", "text")), None, data, [])
    path = tmp_path / row["path"]
    content, expected = path.read_bytes(), table_of(path)
    end = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    chance, told = random.Random(5), 0
    for _ in range(60):
        damaged = bytearray(content)
        damaged[chance.randrange(4, end)] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        try:
            assert table_of(path).equals(expected)
        except (OSError, pa.ArrowException):
            told += 1
    assert told >= 20
