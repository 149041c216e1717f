"""A session that somebody else set up: what is written is the same, and its settings are left alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from babelreg.errors import UsageError
from babelreg.model import Registry
from babelreg.spark import files, ingest, redrive

pytestmark = pytest.mark.spark

ODD = {
    "spark.sql.ansi.enabled": "false",
    "spark.sql.session.timeZone": "Asia/Kathmandu",
    "spark.sql.caseSensitive": "false",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.shuffle.partitions": "7",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.files.maxRecordsPerFile": "3",
    "spark.sql.parquet.compression.codec": "gzip",
    "spark.sql.parquet.outputTimestampType": "INT96",
    "spark.sql.execution.arrow.pyspark.enabled": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2",
    "spark.sql.execution.arrow.useLargeVarTypes": "true",
    "spark.sql.execution.pythonUDF.arrow.enabled": "true",
    "spark.sql.legacy.timeParserPolicy": "LEGACY",
    "spark.sql.legacy.charVarcharAsString": "true",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "LEGACY",
    "spark.sql.jsonGenerator.ignoreNullFields": "false",
    "spark.sql.columnNameOfCorruptRecord": "broken",
    "spark.sql.sources.default": "orc",
}
"""What a user's session may say; all of it changes how some query or some file comes out."""

SCHEMA = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "integer"},
        "Id": {"type": "string"},
        "at": {"type": "string", "format": "date-time"},
        "day": {"type": "string", "format": "date"},
        "price": {"type": "number", "x-spark-type": "decimal(10,2)"},
        "tags": {"type": "object", "additionalProperties": {"type": "string"}},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"qty": {"type": "integer"}}}},
    },
}
URN, OTHER = "urn:babel:orders:created", "urn:babel:orders:placed"


def message(number: int, urn: str = URN, **more: Any) -> str:
    data = {
        "id": number,
        "Id": "x",
        "at": f"1582-10-{number % 28 + 1:02d}T23:59:59.123456+05:45",
        "day": "1500-03-01",
        "price": 12.25,
        "tags": {"B": "1", "b": "2"},
        "lines": [{"qty": number}, {}],
        **more,
    }
    meta = {"id": f"{number:032x}", "queue": "q", "lang": "php", "schema_version": 1, "created_at": 1749132727000}
    return json.dumps({"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": 0})


@pytest.fixture(scope="module")
def registry(make_registry: Any) -> Registry:
    found: Registry = make_registry({URN: SCHEMA, OTHER: SCHEMA})
    return found


def _inbox(folder: Path) -> Path:
    folder.mkdir()
    lines = [message(number, URN if number % 2 else OTHER) for number in range(12)]
    lines += [lines[3], message(4, OTHER, id=5), message(90, id="x"), message(91, id=10**30), "no json"]
    (folder / "a.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return folder


def _rows(lake: Path, what: str) -> tuple[Any, list[dict[str, Any]]]:
    """The types and the rows, in an order of their own; several files hold what one may."""
    import pyarrow.dataset

    found = pyarrow.dataset.dataset([str(path) for path in files(lake, what)])
    rows = found.to_table().to_pylist()
    return found.schema, sorted(rows, key=lambda row: (row["source_file"], row["source_offset"]))


class _Cluster:
    """A session of a Spark that was started with odd settings: every new session on it begins with those."""

    def __init__(self, spark: Any) -> None:
        self._spark, self.sparkContext = spark, spark.sparkContext

    def newSession(self) -> Any:
        own = self._spark.newSession()
        for key, value in ODD.items():
            own.conf.set(key, value)
        return own


def test_odd_settings_change_nothing_that_is_written(spark: Any, registry: Registry, tmp_path: Path) -> None:
    inbox, found = _inbox(tmp_path / "inbox"), {}
    for name, session in (("plain", spark), ("odd", _Cluster(spark))):
        lake = tmp_path / name
        summary = ingest(session, registry, inbox, lake)
        assert (summary.read, summary.accepted, summary.duplicates, summary.quarantined) == (17, 12, 1, 4)
        assert redrive(session, registry, lake).batch is None
        found[name] = [_rows(lake, what) for what in (URN, OTHER, "quarantine")]
    assert found["odd"] == found["plain"]


def test_what_a_session_was_set_to_stays(spark: Any, registry: Registry, tmp_path: Path) -> None:
    given = _Cluster(spark).newSession()
    before = given.conf.getAll
    ingest(given, registry, _inbox(tmp_path / "inbox"), tmp_path / "lake")
    assert given.conf.getAll == before


def test_a_session_of_spark_connect_is_refused_with_a_way_out(registry: Registry, tmp_path: Path) -> None:
    remote = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    with pytest.raises(UsageError, match="Spark Connect") as refused:
        ingest(remote, registry, _inbox(tmp_path / "inbox"), tmp_path / "lake")
    assert "spark-submit" in (refused.value.fix or "")
