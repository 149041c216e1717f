"""Iceberg tables whose warehouse is in S3, read back without Spark."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from s3_server import S3Server

from babelreg.model import Registry
from babelreg.spark.platform.formats.table_set import TableSet
from babelreg.spark.platform.tables import Tables

sys.path.insert(0, str(Path(__file__).parents[3] / "lake" / "shared"))
import s3_tables
from lakehouse import envelope

pytestmark = [pytest.mark.spark, pytest.mark.servers]

PAID, SENT = "urn:babel:shop:paid", "urn:babel:shop:sent"
TEXT, INTEGER = {"type": "string"}, {"type": "integer"}
COMMITS = ("babelreg__batches", "babelreg__digests", "shop_paid__rows", "shop_sent__rows", "babelreg__quarantine")
"""What a batch writes before its counts."""


@pytest.fixture(scope="module")
def warehouse(table_session: Any, s3: S3Server) -> str:
    """A bucket that the catalog ``ice_s3`` of the session is in."""
    bucket = s3.bucket("iceberg-warehouse")
    for key, value in s3.spark_settings.items():
        table_session.sparkContext._jsc.hadoopConfiguration().set(key.removeprefix("spark.hadoop."), value)
    catalog = {"": "org.apache.iceberg.spark.SparkCatalog", ".type": "hadoop", ".warehouse": f"s3a://{bucket}/lake"}
    for key, value in catalog.items():
        table_session.conf.set(f"spark.sql.catalog.ice_s3{key}", value)
    return f"{bucket}/lake"


def registry_of(make_registry: Callable[..., Registry], **added: Any) -> Registry:
    schema = {"type": "object", "required": ["n"], "properties": {"n": INTEGER, **added}}
    return make_registry({PAID: schema, SENT: schema})


def data(batch: int, n: int) -> dict[str, Any]:
    """All batches but the first have messages of the wider registry."""
    return {"n": n, "note": "w"} if batch else {"n": n}


def frame(spark: Any, batch: int) -> Any:
    """Ten messages, five of each URN; one of them again, one of the batch before, and one that is refused."""
    new = [envelope((PAID, SENT)[n % 2], f"{batch}-{n}", data(batch, n)) for n in range(10)]
    before = max(batch - 1, 0)
    others = [new[0], envelope(PAID, f"{before}-2", data(before, 2)), envelope(PAID, "x", {})]
    rows = [(body, number) for number, body in enumerate([*new, *others])]
    return spark.createDataFrame(rows, "value binary, line long").coalesce(1)


@pytest.mark.parametrize(
    "commits",
    [
        pytest.param((COMMITS[2], COMMITS[4]), id="of one table, of all rows"),
        pytest.param(COMMITS, id="of any table", marks=pytest.mark.long),
    ],
)
def test_batches_that_are_interrupted_behind_a_commit_are_written_once(
    commits: tuple[str, ...],
    table_session: Any,
    warehouse: str,
    s3: S3Server,
    make_registry: Callable[..., Registry],
) -> None:
    shop = f"shop{len(commits)}"
    table_session.sql(f"CREATE NAMESPACE ice_s3.{shop}")
    append = TableSet.append

    def tables_of(registry: Registry) -> Tables:
        return Tables(registry, "iceberg", f"ice_s3.{shop}", position=["line"])

    first, wider = registry_of(make_registry), registry_of(make_registry, note=TEXT)
    for batch, name in enumerate(commits):

        def interrupted(self: TableSet, rows: Any, table: str, key: Any, last: str = name) -> None:
            append(self, rows, table, key)
            if table == last:
                raise KeyboardInterrupt

        registry = wider if batch else first
        messages = frame(table_session, batch)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(TableSet, "append", interrupted)
            with pytest.raises(KeyboardInterrupt):
                tables_of(registry).write(messages, application="job", batch=batch)
        counts = tables_of(registry).write(messages, application="job", batch=batch)
        assert [counts.read, counts.accepted, counts.duplicates, counts.quarantined] == [13, 10, 2, 1]
    assert tables_of(wider).write(messages, application="job", batch=len(commits) - 1).repeated

    def rows(name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (
            s3_tables.iceberg_table(s3, f"{warehouse}/{shop}/{name}").scan().to_arrow().to_pylist()
        )
        return found

    for number, name in enumerate(("shop_paid__rows", "shop_sent__rows")):
        expected = {f"{b}-{n}": (n, "w" if b else None) for b in range(len(commits)) for n in range(number, 10, 2)}
        stored = rows(name)
        assert len(stored) == len(expected)
        assert {row["message_id"]: (row["data"]["n"], row["data"]["note"]) for row in stored} == expected
    assert sorted(row["batch"] for row in rows("babelreg__quarantine")) == list(range(len(commits)))
    assert sum(row["messages"] for row in rows("babelreg__counts")) == 13 * len(commits)
