"""Frames are judged, typed and quarantined as an ingest does, batch or stream, whatever else their rows hold."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from babelreg.errors import UsageError
from babelreg.model import Registry
from babelreg.spark import files, ingest, quarantine, typed, validate, validate_frame

sys.path.insert(0, str(Path(__file__).parents[2] / "lake" / "shared"))
import exact_rows
import foreign
from frame_rows import POSITION, collected, frame, plain

pytestmark = pytest.mark.spark

URN, EMPTY, VARIANT = "urn:babel:orders:created", "urn:babel:orders:pinged", "urn:babel:orders:odd"
SCHEMAS = {
    URN: {
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": {"type": "integer", "description": "Number of the order."},
            "email": {"type": "string", "x-gdpr-sensitive": "email"},
            "lines": {"type": "array", "items": {"type": "object", "properties": {"qty": {"type": "integer", "description": "Pieces."}}}},
        },
    },
    EMPTY: {"type": "object"},
    VARIANT: {"type": "object", "properties": {"v": {"x-spark-type": "variant"}, "n": {"type": "integer"}}},
}  # fmt: skip


def message(number: int, data: Any, urn: str = URN) -> bytes:
    meta = {"id": f"m-{number}", "queue": "q", "lang": "php", "schema_version": 1, "created_at": 1749132727000}
    return json.dumps({"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}).encode()


@pytest.fixture(scope="module")
def registry(make_registry: Any) -> Registry:
    made: Registry = make_registry(SCHEMAS)
    return made


BODIES = [
    message(0, {"id": 1, "email": "a@b.c", "lines": [{"qty": 2}]}),
    message(1, {"id": 2**63}),
    None,
    b"{",
    message(2, {}, EMPTY),
    message(3, {"v": {"a": [1, "x"]}, "n": 1}, VARIANT),
    message(4, {"id": 10**16}),
]


def test_a_tombstone_is_neither_typed_nor_in_quarantine(spark: Any, registry: Registry) -> None:
    validated = validate_frame(frame(spark, BODIES), registry, position=POSITION)
    assert validated.columns == [
        "value",
        *POSITION,
        "urn",
        "envelope",
        "data_json",
        "reason",
        "pointer",
        "detail",
        "body",
    ]
    rows = sorted(validated.collect(), key=lambda row: row.offset)
    assert [(row.urn, row.reason) for row in rows] == [
        (URN, None), (URN, "unstorable_integer"), (None, None), (None, "invalid_json"), (EMPTY, None), (VARIANT, None), (URN, None),
    ]  # fmt: skip
    assert all((row.body is None) == (row.reason is None) for row in rows)
    assert [row.offset for row in rows if row.data_json is None and row.reason is None] == [2]
    assert [row.offset for row in sorted(quarantine(validated).collect(), key=lambda row: row.offset)] == [1, 3]


@pytest.mark.parametrize("urns", [(), URN, [URN, EMPTY, VARIANT]], ids=["none", "one", "all"])
def test_a_typed_frame_is_the_same_in_one_pass_and_in_two(spark: Any, registry: Registry, urns: Any) -> None:
    validated = validate_frame(frame(spark, BODIES), registry, position=POSITION, urns=urns)
    envelope = ["urn", "message_id", "trace_id", "created_at", "lang", "queue", "attempts", *POSITION]
    orders = typed(validated, URN, registry)
    assert orders.columns == [*envelope, "data", "data_json"]
    rows = collected(orders)
    assert [(row["offset"], row["data"]) for row in rows] == [
        (0, {"id": 1, "email": "a@b.c", "lines": [{"qty": 2}]}),
        (6, {"id": 10**16, "email": None, "lines": None}),
    ]
    assert rows[0]["created_at"] == datetime.fromtimestamp(1749132727, UTC)
    fields = orders.schema["data"].dataType
    assert fields["id"].metadata == {"comment": "Number of the order."}
    assert fields["email"].metadata["sensitive"] == "email"
    assert fields["lines"].dataType.elementType["qty"].metadata == {"comment": "Pieces."}
    assert orders.schema["message_id"].metadata["comment"]
    assert typed(validated, EMPTY, registry).columns == [*envelope, "data_json"]
    assert typed(validated, EMPTY, registry).count() == 1
    variant = typed(validated, VARIANT, registry)
    assert variant.schema["data"].dataType["v"].dataType.simpleString() == "variant"
    assert variant.selectExpr("to_json(data.v) AS v", "data.n").collect()[0].asDict() == {"v": '{"a":[1,"x"]}', "n": 1}


def test_a_message_is_validated_once_however_its_row_is_filtered(spark: Any, registry: Registry) -> None:
    validated = validate_frame(frame(spark, BODIES), registry, urns=[URN])
    for result in (
        typed(validated, URN, registry),
        quarantine(validated),
        validated.where("urn IS NOT NULL AND reason IS NULL"),
    ):
        plan = result._jdf.queryExecution().executedPlan().toString()
        assert plan.count("babelreg_validate(") == 1


def test_columns_of_strings_and_of_large_types(spark: Any, registry: Registry) -> None:
    from pyspark.sql.functions import col

    strings = frame(spark, BODIES).select(col("value").cast("string").alias("a.b"))
    expected = [
        (row.urn, row.reason, row.data_json) for row in validate_frame(frame(spark, BODIES), registry).collect()
    ]
    spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", True)
    try:
        rows = validate_frame(strings, registry, body="a.b", urns=[URN]).collect()
        assert len([row for row in rows if row[URN]]) == 2
    finally:
        spark.conf.unset("spark.sql.execution.arrow.useLargeVarTypes")
    assert sorted(((row.urn, row.reason, row.data_json) for row in rows), key=repr) == sorted(expected, key=repr)


def test_a_column_can_be_validated_by_itself(spark: Any, registry: Registry) -> None:
    from pyspark.sql.functions import col

    rows = frame(spark, BODIES).select("offset", validate(registry)(col("value")).alias("m"))
    assert rows.schema["m"].dataType.simpleString() == (
        "struct<urn:string,envelope:struct<message_id:string,trace_id:string,created_at:timestamp,lang:string,"
        "queue:string,attempts:bigint>,data_json:string,reason:string,pointer:string,detail:string,body:binary>"
    )
    by_offset = {row.offset: row.m for row in rows.collect()}
    assert by_offset[2] is None
    assert (by_offset[0].urn, by_offset[0].envelope.message_id, by_offset[0].body) == (URN, "m-0", None)
    assert bytes(by_offset[3].body) == b"{"


def test_a_stream_is_validated_as_a_batch(spark: Any, registry: Registry, tmp_path: Path) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    bodies = [body for body in BODIES if body is not None]
    for number, body in enumerate(bodies):
        (inbox / f"{number}.json").write_bytes(body)
    lines = spark.readStream.schema("value string").text(str(inbox))
    binary = (
        spark.readStream.format("binaryFile")
        .schema("path string, modificationTime timestamp, length bigint, content binary")
        .load(str(inbox))
        .select("content", "path")
    )
    results = {}
    for name, validated in {
        "text": validate_frame(lines, registry, urns=[URN]),
        "binary": validate_frame(binary, registry, body="content", position=["path"]),
    }.items():
        for part, rows in {"typed": typed(validated, URN, registry), "quarantine": quarantine(validated)}.items():
            out = tmp_path / name / part
            query = (
                rows.writeStream.format("parquet").option("path", str(out)).option("checkpointLocation", f"{out}-log")
            )
            query.trigger(availableNow=True).start().awaitTermination()
            stored_rows = spark.read.parquet(str(out))
            results[name, part] = sorted(
                plain(row).get("data_json") or plain(row)["body"].decode() for row in stored_rows.collect()
            )
            assert ("path" in stored_rows.columns) == (name == "binary")
    assert results["text", "typed"] == results["binary", "typed"] == sorted(['{"id":10000000000000000}', '{"email":"a@b.c","id":1,"lines":[{"qty":2}]}'])  # fmt: skip
    assert results["text", "quarantine"] == results["binary", "quarantine"] == sorted([BODIES[1].decode(), "{"])


def test_what_was_validated_can_be_stored_and_typed_later(spark: Any, registry: Registry, tmp_path: Path) -> None:
    validate_frame(frame(spark, BODIES), registry, position=POSITION).drop("value").write.parquet(str(tmp_path / "v"))
    stored_frame = spark.read.parquet(str(tmp_path / "v"))
    assert typed(stored_frame, URN, registry).columns[7:9] == POSITION
    assert typed(stored_frame, URN, registry).count() == 2
    assert quarantine(stored_frame).count() == 2


def test_data_of_another_registry_ends_the_query(spark: Any, registry: Registry, make_registry: Any) -> None:
    other = make_registry({URN: {"type": "object", "properties": {"id": {"type": "string"}}}})
    with pytest.raises(
        Exception, match="data of urn:babel:orders:created does not fit its columns: the registry changed"
    ):
        typed(validate_frame(frame(spark, BODIES).coalesce(1), registry), URN, other).collect()


def test_foreign_messages_are_those_of_an_ingest(spark: Any, make_registry: Any, tmp_path: Path) -> None:
    registry = make_registry(foreign.schemas(), foreign.WIRES)
    lines = foreign.flowlayer_lines()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_bytes(lines)
    lake = tmp_path / "lake"
    ingest(spark, registry, tmp_path / "in", lake, wire="flowlayer", keep_duplicates=True)
    bodies = [line for line in lines.splitlines() if line.strip()]
    received = datetime.fromtimestamp(foreign.TIME / 1000, UTC)
    validated = validate_frame(
        frame(spark, [*bodies, None]), registry, position=POSITION, wire="flowlayer", received_at=received
    )
    names = ["reason", "pointer", "detail", "urn", "body"]
    expected = [
        tuple(row[n] for n in names) for path in files(lake, "quarantine") for row in pq.read_table(path).to_pylist()
    ]
    rows = [tuple(plain(row)[n] for n in names) for row in quarantine(validated).collect()]
    assert sorted(rows, key=repr) == sorted(expected, key=repr)
    assert rows
    for urn in (foreign.START, foreign.LOG):
        data = [row["data"] for path in files(lake, urn) for row in pq.read_table(path).to_pylist()]
        assert sorted((plain(row.data) for row in typed(validated, urn, registry).collect()), key=repr) == sorted(
            data, key=repr
        )
    ids = [
        row.message_id
        for row in validated.where("reason IS NULL AND urn IS NOT NULL").select("envelope.message_id").collect()
    ]
    again = [
        row.message_id
        for row in validated.where("reason IS NULL AND urn IS NOT NULL").select("envelope.message_id").collect()
    ]
    assert sorted(ids) == sorted(again)


@pytest.mark.parametrize(
    "arguments, error",
    [
        pytest.param({"body": "valeu"}, "no column 'valeu'.*did you mean 'value'", id="a body that is not there"),
        pytest.param({"body": "offset"}, "'offset' is bigint; a message is a string or binary", id="a body of another type"),
        pytest.param({"body": 3}, "a column name is a string, not int", id="a body that is not a name"),
        pytest.param({"position": ["topik"]}, "no column 'topik'.*did you mean 'topic'", id="a position that is not there"),
        pytest.param({"position": "topic"}, "position is a list", id="a position that is not a list"),
        pytest.param({"position": ["topic", "topic"]}, "contains 'topic' twice", id="a position that is named twice"),
        pytest.param({"position": ["topic", "TOPIC"]}, "contains 'TOPIC' twice", id="a position that is named twice in another case"),
        pytest.param({"position": ["Queue"]}, "'Queue' cannot be kept.*tables.*withColumnRenamed", id="a position that a table has"),
        pytest.param({"body": "Reason"}, "no column 'Reason'", id="a body in another case"),
        pytest.param({"urns": ["urn:babel:orders:creatd"]}, "declares no message.*did you mean urn:babel:orders:created", id="a URN that is misspelt"),
        pytest.param({"wire": "flowlayr"}, "did you mean flowlayer", id="a wire that is misspelt"),
        pytest.param({"wire": "strata"}, "pass received_at", id="a wire without a time"),
        pytest.param({"wire": "strata", "received_at": "topic"}, "'topic' is string, not a timestamp", id="a time that is a text"),
        pytest.param({"received_at": "offset"}, "received_at is for messages of a foreign wire", id="a time without a wire"),
    ],
)  # fmt: skip
def test_misuse_is_told_before_anything_runs(
    spark: Any, registry: Registry, arguments: dict[str, Any], error: str
) -> None:
    from pyspark.sql.functions import lit

    with pytest.raises(UsageError, match=f"(?s){error}"):
        validate_frame(frame(spark, []).withColumn("Queue", lit("x")), registry, **arguments)


def test_a_column_of_the_caller_that_would_be_hidden_is_refused(spark: Any, registry: Registry) -> None:
    from pyspark.sql.functions import lit

    with pytest.raises(UsageError, match=r"(?s)'Envelope' cannot be kept.*source_Envelope"):
        validate_frame(frame(spark, []).withColumn("Envelope", lit(1)), registry)
    renamed = frame(spark, BODIES).withColumnRenamed("value", "body")
    validated = validate_frame(renamed, registry, body="body")
    assert validated.columns[:3] == ["topic", "offset", "urn"]
    assert validated.where("body IS NOT NULL").count() == 2


@pytest.mark.parametrize(
    "change, error",
    [
        pytest.param(lambda rows: rows.drop("reason"), "it has no column 'reason'", id="without a column"),
        pytest.param(lambda rows: rows.withColumn("urn", rows["offset"]), "its column 'urn' is bigint", id="with another type"),
        pytest.param(lambda rows: rows.withColumn("reason", rows["urn"]), "does not say which columns", id="with a column made anew"),
        pytest.param(lambda rows: rows.drop("topic"), "'topic', which identifies the source .* is no longer in the frame", id="without a column of its position"),
    ],
)  # fmt: skip
def test_another_frame_is_refused(spark: Any, registry: Registry, change: Any, error: str) -> None:
    changed = change(validate_frame(frame(spark, []), registry, position=POSITION))
    for function in (quarantine, lambda rows: typed(rows, URN, registry)):
        with pytest.raises(UsageError, match=error):
            function(changed)


def test_a_urn_that_is_not_declared_is_refused(spark: Any, registry: Registry) -> None:
    with pytest.raises(UsageError, match=r"(?s)declares no message urn:babel:orders:creatd.*did you mean"):
        typed(validate_frame(frame(spark, []), registry), "urn:babel:orders:creatd", registry)


def test_a_frame_shows_its_columns_and_no_value(spark: Any, registry: Registry) -> None:
    odd = frame(spark, BODIES).withColumnRenamed("topic", "<b>topic")
    validated = validate_frame(odd, registry, position=["<b>topic"])
    page = validated._repr_html_()
    assert "&lt;b&gt;topic" in page
    assert "<b>topic" not in page
    assert "a@b.c" not in page
    assert f"typed(validated, &quot;{URN}&quot;, registry)" in page
    assert validated.where("reason IS NULL")._repr_html_() is None


@pytest.mark.parametrize("columns", [[], [exact_rows.URN]], ids=["from the JSON", "from a column"])
def test_numbers_are_typed_as_they_were_sent(spark: Any, make_registry: Any, columns: list[str]) -> None:
    made = make_registry({exact_rows.URN: exact_rows.SCHEMA})
    validated = validate_frame(frame(spark, exact_rows.bodies()), made, urns=columns, position=POSITION)
    stored = [row.asDict() for row in typed(validated, exact_rows.URN, made).collect()]
    exact_rows.check(stored, [row.asDict() for row in quarantine(validated).collect()])
