"""One flipped bit in the data of a table or of the quarantine: an error, or the same rows; never other values."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from babelreg.errors import InputError
from babelreg.lake.publish.run import publish
from babelreg.lake.report import html
from babelreg.lake.storage.log import batch_record, replay
from babelreg.model import Registry
from babelreg.spark import LocalEngine, compact, dataset, ingest, redrive

Make = Callable[..., Registry]
Read = Callable[[Path, Any, Registry], object]
URN = "urn:babel:orders:created"
SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": 1},
        "total": {"type": "number"},
        "at": {"type": "string", "format": "date-time"},
        "lines": {"type": "array", "items": {"type": "string"}},
    },
}
FLIPS = 60


def _message(number: int) -> bytes:
    data = {"id": number % 40 - 4, "total": number / 8, "at": "2026-11-20T09:30:00Z", "lines": [f"line {number}"] * 3}
    meta = {"id": f"m{number}", "queue": "q", "lang": "go", "schema_version": 1, "created_at": number}
    return json.dumps({"job": URN, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}).encode() + b"\n"


@pytest.fixture(scope="module")
def registry(make_registry: Make) -> Registry:
    return make_registry({URN: SCHEMA})


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, engine: LocalEngine, registry: Registry) -> Path:
    home = tmp_path_factory.mktemp("flips")
    (home / "in").mkdir()
    for number in range(2):
        lines = b"".join(map(_message, range(400 * number, 400 * number + 400)))
        (home / "in" / f"{number}").write_bytes(lines)
        ingest(engine, registry, home / "in", home / "out", compacting=False)
    return home / "out"


def _rows(lake: Path, engine: LocalEngine, registry: Registry) -> object:
    return dataset(lake, URN).to_table().to_pylist(), dataset(lake, "quarantine").to_table().to_pylist()


def _compacted(lake: Path, engine: LocalEngine, registry: Registry) -> object:
    compact(engine, lake, at_least=2, grace_seconds=0)
    return _rows(lake, engine, registry)


def _redriven(lake: Path, engine: LocalEngine, registry: Registry) -> object:
    redrive(engine, registry, lake)
    return dataset(lake, "quarantine").to_table().to_pylist()


def _reported(lake: Path, engine: LocalEngine, registry: Registry) -> object:
    page = html(lake, registry)
    return page[page.index("<main") :] if "<main" in page else page


def _published(lake: Path, engine: LocalEngine, registry: Registry) -> object:
    result = publish(lake, ["delta"])
    if result.failed:
        raise InputError(str(result))
    return result


def _data_of(path: Path) -> tuple[int, int]:
    """The first and the last byte of the pages of a file, with their headers."""
    return 4, path.stat().st_size - 8 - int.from_bytes(path.read_bytes()[-8:-4], "little")


@pytest.mark.parametrize(
    "read, flips, kinds",
    [
        pytest.param(_rows, FLIPS, ("tables", "quarantine"), id="rows as readers get them"),
        pytest.param(_compacted, FLIPS // 4, ("tables", "quarantine"), id="files merged"),
        pytest.param(_redriven, FLIPS // 4, ("quarantine",), id="messages validated again"),
        pytest.param(_reported, FLIPS // 4, ("quarantine",), id="the report"),
    ],
)
def test_a_flipped_bit_gives_no_other_values(
    read: Read, flips: int, kinds: tuple[str, ...], lake: Path, engine: LocalEngine, registry: Registry, tmp_path: Path
) -> None:
    copy = tmp_path / "out"
    shutil.copytree(lake, copy)
    expected = read(copy, engine, registry)
    chance, told = random.Random(7), 0
    for number in range(flips):
        shutil.rmtree(copy)
        shutil.copytree(lake, copy)
        state = replay.read(copy)
        names = {"tables": state.tables[URN], "quarantine": state.quarantine}
        path = copy / chance.choice([name for kind in kinds for name in names[kind]])
        first, end = _data_of(path)
        content = bytearray(path.read_bytes())
        content[chance.randrange(first, end)] ^= 1 << chance.randrange(8)
        path.write_bytes(content)
        try:
            assert read(copy, engine, registry) == expected, f"{path.name}, flip {number}"
        except (InputError, OSError, pa.ArrowException):
            told += 1
    assert told, "no flip was in what is read"


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(_rows, id="rows as readers get them"),
        pytest.param(_compacted, id="files merged"),
        pytest.param(_redriven, id="messages validated again"),
        pytest.param(_reported, id="the report"),
        pytest.param(_published, id="published tables"),
    ],
)
def test_a_flipped_bit_of_a_footer_is_never_silent(
    read: Read, lake: Path, engine: LocalEngine, registry: Registry, tmp_path: Path
) -> None:
    """60 flips each; the footer says where pages are, how values are written, and which are the smallest."""
    chance, copy = random.Random(11), tmp_path / "out"
    kinds = ("quarantine",) if read in (_redriven, _reported) else ("tables", "quarantine")
    for number in range(60):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(lake, copy)
        state = replay.read(copy)
        names = {"tables": state.tables[URN], "quarantine": state.quarantine}
        path = copy / chance.choice([name for kind in kinds for name in names[kind]])
        content = bytearray(path.read_bytes())
        content[chance.randrange(_data_of(path)[1], len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(content)
        try:
            read(copy, engine, registry)
        except (InputError, OSError, pa.ArrowException):
            continue
        pytest.fail(f"{path.name}, flip {number} is silent")


def test_a_lake_without_check_sums_of_footers_is_read(
    lake: Path, engine: LocalEngine, registry: Registry, tmp_path: Path
) -> None:
    """An earlier version named its files part-00000.parquet."""
    copy = tmp_path / "out"
    shutil.copytree(lake, copy)
    for path in copy.rglob("*.parquet"):
        path.rename(path.with_name(path.name[:10] + ".parquet"))
    for path in (copy / "manifest").glob("*.json"):
        lines = re.sub(rb"(part-[0-9]{5})-[0-9a-f]{8}", rb"\1", batch_record.unsealed(path.read_bytes()))
        path.write_bytes(batch_record.sealed(lines))
    assert _rows(copy, engine, registry) == _rows(lake, engine, registry)
    assert _compacted(copy, engine, registry) is not None


def test_spark_tells_a_flipped_bit(spark: Any, lake: Path, tmp_path: Path) -> None:
    from py4j.protocol import Py4JJavaError

    (name, *_) = replay.read(lake).tables[URN]
    content = bytearray((lake / name).read_bytes())
    group = parquet.read_metadata(lake / name).row_group(0)
    column = group.column(group.num_columns - 1)
    content[(column.dictionary_page_offset or column.data_page_offset) + column.total_compressed_size - 1] ^= 1
    (tmp_path / "flipped.parquet").write_bytes(content)
    with pytest.raises(Py4JJavaError, match="(?i)crc"):
        spark.read.parquet(str(tmp_path / "flipped.parquet")).write.format("noop").mode("overwrite").save()


def test_all_files_have_check_sums(lake: Path, engine: LocalEngine, registry: Registry, tmp_path: Path) -> None:
    """The last byte of each column is told, in files of an ingest and of a compaction."""
    shutil.copytree(lake, tmp_path / "out")
    compact(engine, tmp_path / "out", at_least=2, grace_seconds=0)
    state = replay.read(tmp_path / "out")
    for name in (*state.tables[URN], *state.quarantine, *replay.read(lake).tables[URN]):
        path = (tmp_path / "out" if (tmp_path / "out" / name).exists() else lake) / name
        group = parquet.read_metadata(path).row_group(0)
        for number in range(group.num_columns):
            column = group.column(number)
            content = bytearray(path.read_bytes())
            content[(column.dictionary_page_offset or column.data_page_offset) + column.total_compressed_size - 1] ^= (
                255
            )
            (tmp_path / "flipped.parquet").write_bytes(content)
            with pytest.raises(OSError, match="CRC checksum|Couldn't deserialize|Corrupt"):
                parquet.ParquetFile(tmp_path / "flipped.parquet", page_checksum_verification=True).read()
