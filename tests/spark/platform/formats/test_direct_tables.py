"""Commits without Spark, and files that workers write whose Python lacks babelreg: they get it in an archive."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import deltalake
import jars
import pytest
from deltalake.exceptions import CommitFailedError

from babelreg.lake.tasks.segment_files import TableFolder, write_file
from babelreg.load.registry.json_bundle import pack
from babelreg.model import Registry
from babelreg.spark.deploy import pack as archive
from babelreg.spark.platform.formats.batch_key import BatchKey
from babelreg.spark.platform.formats.direct_tables import DirectTables, WrittenFiles
from babelreg.spark.platform.formats.row_query import RowQuery
from babelreg.spark.platform.formats.table_names import TablePlace

sys.path.insert(0, str(Path(__file__).parents[3] / "lake" / "shared"))
from lakehouse import envelope
from spark_cluster import SparkCluster

PROGRAM = Path(__file__).parents[3] / "lake" / "shared" / "tables_program.py"
PAID, SENT = "urn:babel:shop:paid", "urn:babel:shop:sent"
SCHEMA = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.shuffle.partitions": "2",
}


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    """The folder of a table."""
    import pyarrow as pa

    deltalake.DeltaTable.create((tmp_path / "counts").as_uri(), pa.schema([("n", pa.int64())]))
    return tmp_path / "counts"


def written(table: Path, *numbers: int) -> WrittenFiles:
    import pyarrow as pa

    return WrittenFiles(table, [write_file(TableFolder(str(table), ("n",)), None, pa.table({"n": numbers}), [])])


def opened(table: Path) -> DirectTables:
    """Tables at a place of which one was opened."""
    tables = DirectTables(object(), TablePlace.of(table.parent.as_uri()))  # type: ignore[arg-type]
    tables._opened[table.name] = deltalake.DeltaTable(table.as_uri())
    return tables


def test_a_batch_that_another_writer_committed_meanwhile_is_not_committed_again(counts: Path) -> None:
    first, second, key = opened(counts), opened(counts), BatchKey("job", 3)
    late = written(counts, 1)
    first.commit("counts", written(counts, 1), key)
    second.commit("counts", late, key)
    second.commit("counts", unused := written(counts, 1), key)
    stored = deltalake.DeltaTable(counts)
    assert (stored.version(), stored.transaction_version("job")) == (1, 3)
    assert stored.to_pyarrow_table().to_pylist() == [{"n": 1}]
    assert not (counts / unused.files[0]["path"]).exists()


def test_a_commit_that_is_reported_as_failed_and_was_not_keeps_its_files(
    counts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = deltalake.DeltaTable.create_write_transaction

    def unacknowledged(*args: Any, **options: Any) -> None:
        commit(*args, **options)
        raise CommitFailedError("the connection was closed")

    monkeypatch.setattr(deltalake.DeltaTable, "create_write_transaction", unacknowledged)
    opened(counts).commit("counts", written(counts, 1, 2), BatchKey("job", 3))
    stored = deltalake.DeltaTable(counts)
    assert stored.version() == 1
    assert stored.to_pyarrow_table().to_pylist() == [{"n": 1}, {"n": 2}]


def test_rows_columns_and_files_are_read_without_spark(tmp_path: Path) -> None:
    import pyarrow as pa

    first, second = date(2026, 5, 28), date(2026, 5, 29)
    for number, day in enumerate((first, second, first)):
        rows = pa.table({"day": [day], "n": [number], "text": [None if number else "t"]})
        deltalake.write_deltalake((tmp_path / "rows").as_uri(), rows, partition_by=["day"], mode="append")
    tables = DirectTables(object(), TablePlace.of(tmp_path.as_uri()))  # type: ignore[arg-type]
    tables._folders["rows"] = tmp_path / "rows"
    assert tables.file_counts("rows", "day") == {first: 2, second: 1}
    assert tables.file_counts("rows", "n") is None
    stored, dataset = tables.stored("rows"), tables.dataset("rows")
    assert stored is not None
    assert stored.schema.names == ["day", "n", "text"]
    assert dataset is not None
    assert RowQuery({"day": first}).last_of_dataset(dataset, ["n", "text"], "n") == {"n": 2, "text": None}
    assert RowQuery({"day": first}, "text").of_dataset(dataset, ["n"]) == [{"n": 0}]
    assert RowQuery({"n": 7}).last_of_dataset(dataset, ["text"], "n") is None


@pytest.mark.cluster
@pytest.mark.spark
@pytest.mark.servers
def test_workers_write_the_files_with_what_the_archive_has(
    make_registry: Callable[..., Registry], two_workers: SparkCluster, tmp_path: Path
) -> None:
    registry = make_registry({PAID: SCHEMA, SENT: SCHEMA})
    (tmp_path / "registry").mkdir()
    (tmp_path / "registry" / "registry.json").write_text(pack(registry))
    archive.write(tmp_path / "babelreg.tar.gz", pack(registry))
    (tmp_path / "in").mkdir()
    messages = [envelope((PAID, SENT)[n % 2], str(n), {"n": n}) for n in range(100)]
    messages += [messages[0], envelope(PAID, "1000", {}), b"{", envelope(SENT, "0", {"n": 5})]
    for part in range(4):
        (tmp_path / "in" / f"{part}.jsonl").write_bytes(b"".join(body + b"\n" for body in messages[part::4]))
    files = ",".join(map(str, jars.paths("delta")))
    given = ["--jars", files, "--archives", f"{tmp_path}/babelreg.tar.gz#babelreg", PROGRAM]
    cluster = two_workers.within(tmp_path, cores=2)
    cluster.environment = {**cluster.environment, "PYSPARK_DRIVER_PYTHON": sys.executable}
    process = cluster.submit(*given, *(str(tmp_path / name) for name in ("registry", "in", "lake")), conf=DELTA)
    code, out, err = cluster.done(process)
    assert code == 0, err[-5000:]
    assert json.loads(out.splitlines()[-1]) == {
        "worker": False,
        "accepted": 100,
        "duplicates": 1,
        "reasons": {"missing_required": 1, "invalid_json": 1, "id_conflict": 1},
        "repeated": True,
    }
    paid, sent, refused = (
        table(tmp_path, name) for name in ("shop_paid__rows", "shop_sent__rows", "babelreg__quarantine")
    )
    assert Counter((row["message_id"], row["data"]["n"]) for row in paid) == Counter(
        (str(n), n) for n in range(0, 100, 2)
    )
    assert len(sent) == 50
    assert len(refused) == 3


def table(folder: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a table, all in files that tasks of babelreg wrote."""
    stored = deltalake.DeltaTable(folder / "lake" / name)
    assert {Path(path).name.split(".", 1)[1] for path in stored.file_uris()} == {"zstd.parquet"}
    rows: list[dict[str, Any]] = stored.to_pyarrow_table().to_pylist()
    return rows
