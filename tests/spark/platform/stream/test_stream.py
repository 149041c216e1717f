"""Streams from a real Kafka, an S3 server and folders into real tables, read back by other engines."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import deltalake
import kafka_server
import pytest
from s3_server import S3Server
from server import Server

from babelreg.errors import InputError, UsageError

sys.path.insert(0, str(Path(__file__).parents[3] / "lake" / "shared"))
import s3_tables

pytestmark = [pytest.mark.spark, pytest.mark.servers]

Order = Callable[..., bytes]
Run = Callable[..., Any]


def rows(table: Any) -> list[dict[str, Any]]:
    return table.to_pyarrow_table().to_pylist()


def test_kafka_to_delta_in_s3(kafka: Server, s3: S3Server, run: Run, order: Order) -> None:
    lake = s3.bucket("kafka-to-delta")
    kafka_server.create(kafka, "mixed", 2)
    kafka_server.produce(kafka, "mixed", [*map(order, range(100)), None, b"{", order(200, "much"), order(5)])
    headers = [("bq-attempts", b"3"), ("bq-attempts", b"9"), ("bq-schema-version", b" "), ("authorization", b"hunter2")]
    kafka_server.produce(kafka, "mixed", [order(300)], headers=headers)
    kafka_server.produce(kafka, "mixed", [order(301)], headers=[("bq-schema-version", b"2"), ("x", b"hunter2")])
    place = f"{kafka.url}/mixed", "delta", f"s3a://{lake}/tables", f"s3a://{lake}/checkpoint"
    first = run(*place, max_messages=60)
    assert len(first.batches) == 2
    assert [first.total(name) for name in ("read", "quarantined", "tombstones")] == [106, 3, 1]
    assert first.total("stored") + first.total("duplicates") == 102
    assert first.batches[-1].lag == {"mixed-0": 0, "mixed-1": 0}
    assert not run(*place).batches

    def table(name: str) -> list[dict[str, Any]]:
        return rows(deltalake.DeltaTable(f"s3://{lake}/tables/{name}", storage_options=s3.storage_options))

    stored = table("orders_created__rows")
    assert {row["message_id"] for row in stored} == {f"{number:032x}" for number in (*range(100), 300)}
    assert {row["attempts"] for row in stored if row["data"]["total"] == 300} == {3}
    assert {(row["kafka_topic"], row["kafka_headers"]) for row in stored} == {("mixed", None)}
    refused = table("babelreg__quarantine")
    assert sorted(row["reason"] for row in refused) == ["invalid_json", "not_an_integer", "unsupported_schema_version"]
    (gated,) = (row for row in refused if row["reason"] == "unsupported_schema_version")
    assert gated["body"] == order(301)
    assert gated["kafka_headers"] == [{"key": "bq-schema-version", "value": "2"}]


@pytest.mark.long
def test_kafka_to_iceberg(kafka: Server, run: Run, order: Order, tmp_path: Path) -> None:
    from pyiceberg.table import StaticTable

    kafka_server.create(kafka, "iced", 2)
    kafka_server.produce(kafka, "iced", [*map(order, range(50)), b"{"])
    tables = tmp_path / "tables"
    told = run(f"{kafka.url}/iced", "iceberg", tables.as_uri(), tmp_path / "checkpoint")
    assert [told.total(name) for name in ("read", "stored", "quarantined")] == [51, 50, 1]
    folder = tables / "messages" / "orders_created__rows" / "metadata"
    newest = max(folder.glob("v*.metadata.json"), key=lambda path: int(path.name[1:].partition(".")[0]))
    stored = StaticTable.from_metadata(str(newest)).scan().to_arrow()
    assert sorted(stored["message_id"].to_pylist()) == [f"{number:032x}" for number in range(50)]


def test_kafka_to_iceberg_in_s3(kafka: Server, s3: S3Server, run: Run, order: Order) -> None:
    lake = s3.bucket("kafka-to-iceberg")
    kafka_server.create(kafka, "iced-in-s3", 2)
    kafka_server.produce(kafka, "iced-in-s3", [*map(order, range(60)), None, b"{", order(5)])
    place = f"{kafka.url}/iced-in-s3", "iceberg", f"s3a://{lake}/tables", f"s3a://{lake}/checkpoint"
    first = run(*place, max_messages=40)
    assert len(first.batches) == 2
    outcomes = ("read", "stored", "duplicates", "quarantined", "tombstones")
    assert [first.total(name) for name in outcomes] == [63, 60, 1, 1, 1]
    kafka_server.produce(kafka, "iced-in-s3", [order(6), order(60)])
    second = run(*place)
    assert [second.total(name) for name in outcomes] == [2, 1, 1, 0, 0]
    stored = s3_tables.rows(s3, "iceberg", f"{lake}/tables", "orders_created__rows")
    assert sorted(row["message_id"] for row in stored) == [f"{number:032x}" for number in range(61)]
    assert [row["body"] for row in s3_tables.rows(s3, "iceberg", f"{lake}/tables", "babelreg__quarantine")] == [b"{"]


def test_a_folder_of_lines_and_frames_to_delta(run: Run, order: Order, tmp_path: Path) -> None:
    inbox, tables = tmp_path / "inbox" / "deep", tmp_path / "tables"
    inbox.mkdir(parents=True)
    (inbox / "a.jsonl").write_bytes(b"\n".join([order(1), b"  ", order(2) + b"\r", b"\xff"]))
    (inbox / "b.frames").write_bytes(b"".join(len(body).to_bytes(4, "big") + body for body in (order(3), b"\n")))
    place = str(tmp_path / "inbox"), "delta", str(tables), tmp_path / "checkpoint"
    first = run(*place)
    assert [first.total(name) for name in ("read", "stored", "quarantined")] == [5, 3, 2]
    stored = rows(deltalake.DeltaTable(tables / "orders_created__rows"))
    assert {(row["data"]["total"], Path(row["source_file"]).name) for row in stored} == {
        (1, "a.jsonl"), (2, "a.jsonl"), (3, "b.frames"),
    }  # fmt: skip
    bodies = {row["body"] for row in rows(deltalake.DeltaTable(tables / "babelreg__quarantine"))}
    assert bodies == {b"\xff", b"\n"}


def test_what_kafka_deleted_is_named_and_stops_the_stream(
    kafka: Server, run: Run, order: Order, tmp_path: Path
) -> None:
    kafka_server.create(kafka, "short", 1)
    kafka_server.produce(kafka, "short", map(order, range(10)))
    place = f"{kafka.url}/short", "delta", str(tmp_path / "tables"), tmp_path / "checkpoint"
    run(*place)
    kafka_server.produce(kafka, "short", map(order, range(10, 30)))
    kafka_server.delete_before(kafka, "short", 0, 25)
    with pytest.raises(InputError, match=r"15 messages of .* \(short partition 0: offsets 10 to 24\)"):
        run(*place)
    told = run(*place, stop_when_lost=False)
    assert told.total("read") == 5
    assert [(item.start, item.end) for batch in told.batches for item in batch.lost] == [(10, 25)]
    assert told.warnings == ["deleted before they were read: short partition 0: offsets 10 to 24"]


def test_a_checkpoint_of_another_stream_is_refused(kafka: Server, run: Run, order: Order, tmp_path: Path) -> None:
    kafka_server.create(kafka, "mine", 1)
    kafka_server.produce(kafka, "mine", [order(1)])
    tables, checkpoint = str(tmp_path / "tables"), tmp_path / "checkpoint"
    run(f"{kafka.url}/mine", "delta", tables, checkpoint)
    kafka_server.create(kafka, "other", 1)
    with pytest.raises(UsageError, match="belongs to a stream that reads kafka:///mine"):
        run(f"{kafka.url}/other", "delta", tables, checkpoint)
    with pytest.raises(UsageError, match="belongs to a stream that writes to"):
        run(f"{kafka.url}/mine", "delta", f"{tables}2", checkpoint)
    with pytest.raises(UsageError, match="was already read into") as raised:
        run(f"{kafka.url}/mine", "delta", tables, tmp_path / "new")
    assert raised.value.fix is not None
    assert checkpoint.as_uri() in raised.value.fix
    with pytest.raises(UsageError, match="has no topic none"):
        run(f"{kafka.url}/none", "delta", tables, tmp_path / "new")
    kafka_server.recreate(kafka, "mine", 1)
    with pytest.raises(UsageError, match="the topic mine was deleted and created again"):
        run(f"{kafka.url}/mine", "delta", tables, checkpoint)


def test_a_stream_ends_after_the_batch_at_work(stream_session: Any, orders: Any, order: Order, tmp_path: Path) -> None:
    from babelreg.spark.platform.stream import Observer, stream, stream_settings

    inbox = tmp_path / "inbox"
    inbox.mkdir()
    for number in range(3):
        (inbox / f"{number}.jsonl").write_bytes(order(number))
    stop, told = threading.Event(), []

    class Stopping(Observer):
        def step(self, text: str) -> None:
            if text.startswith("writing"):
                stop.set()

        def batch(self, batch: Any) -> None:
            told.append(batch.counts.read)

    place = str(inbox), "delta", str(tmp_path / "tables"), str(tmp_path / "checkpoint")
    settings = stream_settings(*place, max_files=1, every_seconds=0.1)
    stream(stream_session, orders, settings, observer=Stopping(), stop=stop)
    assert told == [1]
    stored = rows(deltalake.DeltaTable(tmp_path / "tables" / "orders_created__rows"))
    assert len(stored) == 1
