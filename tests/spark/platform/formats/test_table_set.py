"""Tables over time: new columns, changed types, other registries, foreign tables, numbers that come again, views."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.errors import BabelregError, InputError, UsageError
from babelreg.model import Registry
from babelreg.spark.platform.formats.table_set import TableSet
from babelreg.spark.platform.tables import Tables

sys.path.insert(0, str(Path(__file__).parents[3] / "lake" / "shared"))
from lakehouse import WRITERS, Lakehouse, envelope

pytestmark = [pytest.mark.spark, pytest.mark.servers, pytest.mark.usefixtures("written")]

URN, TABLE = "urn:babel:shop:paid", "shop_paid__rows"
TEXT, INTEGER = {"type": "string"}, {"type": "integer"}
EMAIL = {**TEXT, "x-gdpr-sensitive": "email", "description": "Where the bill goes; it's `one` ${env:HOME}."}


def items(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "object", "properties": properties}}


FIRST = {"n": INTEGER, "gone": TEXT, "lines": items(sku={**TEXT, "description": "What was bought."}, old=TEXT)}
SECOND = {"n": INTEGER, "email": EMAIL, "lines": items(sku=TEXT, qty=INTEGER), "two words": TEXT}


@pytest.fixture
def schema(make_registry: Callable[..., Registry]) -> Callable[..., Registry]:
    def made(properties: dict[str, Any], required: list[str] | None = None) -> Registry:
        return make_registry({URN: {"type": "object", "properties": properties, "required": required or []}})

    return made


def write(place: Lakehouse, registry: Registry, batch: int, *data: dict[str, Any], **options: Any) -> Any:
    bodies = [(envelope(URN, f"{batch}-{number}", value),) for number, value in enumerate(data)]
    frame = place.spark.createDataFrame(bodies, "value binary").coalesce(1)
    tables = Tables(registry, place.to, place.at, **{"keep_duplicates": True, **options})
    return tables.write(frame, application="job", batch=batch)


@pytest.mark.parametrize("to, written", WRITERS, indirect=["written"])
def test_tables_follow_the_registry_and_refuse_what_they_cannot(
    to: str,
    schema: Callable[..., Registry],
    make_registry: Callable[..., Registry],
    new_place: Callable[[str], Lakehouse],
) -> None:
    place, first, second = new_place(to), schema(FIRST), schema(SECOND)
    other = make_registry({"urn:babel:other:made": {"type": "object"}})
    write(place, first, 0, {"n": 1, "gone": "g", "lines": [{"sku": "a", "old": "o"}]})
    created = place.spark.table(place.table(TABLE)).schema
    assert created["data"].dataType["lines"].dataType.elementType["sku"].metadata == {"comment": "What was bought."}
    assert created["message_id"].metadata["comment"].startswith("meta.id")
    write(
        place,
        second,
        1,
        {"n": 2, "gone": 7, "email": "x@example.com", "lines": [{"sku": "b", "qty": 3}], "two words": "w"},
    )
    old, new = sorted(
        (row["data"] for row in place.read(TABLE) if to == "iceberg"), key=lambda data: data["n"]
    ) or _by_spark(place)
    assert old == {
        "n": 1,
        "gone": "g",
        "lines": [{"sku": "a", "old": "o", "qty": None}],
        "email": None,
        "two words": None,
    }
    assert new == {
        "n": 2,
        "gone": None,
        "lines": [{"sku": "b", "old": None, "qty": 3}],
        "email": "x@example.com",
        "two words": "w",
    }
    stored = place.spark.table(place.table(TABLE)).schema
    assert stored["data"].dataType["email"].metadata["comment"] == EMAIL["description"]
    assert stored["message_id"].metadata["comment"].startswith("meta.id")
    rows = place.spark.sql(f"SHOW TBLPROPERTIES {place.table(TABLE)}").collect()
    assert {row["key"]: row["value"] for row in rows}["babelreg.sensitive"] == '{"data.email": "email"}'

    for registry, batch, message in (
        (schema({"n": TEXT}), 2, "has 'data.n' as BIGINT, but the registry now defines it as STRING"),
        (second, 0, "comes after batch 1"),
        (second, 1, "began with 1 messages"),
    ):
        with pytest.raises(BabelregError, match=message):
            write(place, registry, batch, {"n": "3"}, {"n": 4})
    with pytest.raises(UsageError, match="were written with keep_duplicates=True so far"):
        write(place, second, 2, {"n": 3}, keep_duplicates=False, position=["value"])
    with pytest.raises(UsageError, match=f"there is a table of {URN}, which the registry does not declare"):
        write(place, other, 2, {"n": 3})
    assert write(place, second, 2, {"n": 3}).accepted == 1  # the refused batch had not begun
    check_views(place, second)


def _by_spark(place: Lakehouse) -> list[dict[str, Any]]:
    """Column mapping, which a name with a blank needs, is not for every reader."""
    rows = place.spark.table(place.table(TABLE)).orderBy("data.n").collect()
    return [row.asDict(recursive=True)["data"] for row in rows]


def check_views(place: Lakehouse, registry: Registry) -> None:
    schema = f"spark_catalog.views_{place.to}"
    place.spark.sql(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    names = Tables(registry, place.to, place.at).create_views(place.spark, schema)
    assert [name.replace("`", "") for name in names] == [f"{schema}.shop_paid", f"{schema}.shop_paid__masked"]
    shown, masked = (place.spark.table(name).where("n = 2").collect()[0].asDict() for name in names)
    assert (shown["email"], shown["two_words"]) == ("x@example.com", "w")
    assert masked["email"] is None
    assert masked["two_words"] == "w"
    assert "data_json" not in masked


@pytest.mark.parametrize("to, written", WRITERS, indirect=["written"])
def test_a_batch_is_finished_with_the_schemas_that_it_began_with(
    to: str, schema: Callable[..., Registry], new_place: Callable[[str], Lakehouse]
) -> None:
    place, lax, strict = new_place(to), schema({"n": INTEGER}), schema({"n": INTEGER, "k": TEXT}, ["k"])
    append, written = TableSet.append, []

    def interrupted(self: TableSet, frame: Any, name: str, key: Any) -> None:
        if name == TABLE:
            raise KeyboardInterrupt
        append(self, frame, name, key)
        written.append(name)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TableSet, "append", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write(place, lax, 0, {"n": 1}, {"n": "2"})
    assert "babelreg__quarantine" in written
    counts = write(place, strict, 0, {"n": 1}, {"n": "2"})
    assert (counts.accepted, dict(counts.reasons)) == (1, {"not_an_integer": 1})
    assert [row["reason"] for row in place.read("babelreg__quarantine")] == ["not_an_integer"]
    assert len(place.read(TABLE)) == 1


@pytest.mark.parametrize("to", ["delta", "iceberg"])
def test_a_table_of_somebody_else_is_left_alone(
    to: str, schema: Callable[..., Registry], new_place: Callable[[str], Lakehouse]
) -> None:
    place = new_place(to)
    place.spark.range(1).writeTo(place.table(TABLE)).using(to).create()
    with pytest.raises(UsageError, match="exists, but is not a table of babelreg"):
        write(place, schema(FIRST), 0, {"n": 1})
    assert place.spark.table(place.table(TABLE)).count() == 1


@pytest.mark.parametrize("to, written", WRITERS, indirect=["written"])
def test_a_batch_without_messages_leaves_an_empty_log(
    to: str, schema: Callable[..., Registry], new_place: Callable[[str], Lakehouse]
) -> None:
    place, registry = new_place(to), schema({"n": INTEGER})
    assert write(place, registry, 0).read == 0
    assert place.spark.table(place.table("babelreg__batches")).count() == 0
    assert write(place, registry, 1, {"n": 1}).accepted == 1
    assert len(place.read(TABLE)) == 1


@pytest.mark.parametrize("to, written", WRITERS, indirect=["written"])
def test_two_applications_that_create_the_same_table_at_once_both_write_it(
    to: str, schema: Callable[..., Registry], new_place: Callable[[str], Lakehouse]
) -> None:
    place, append, ahead = new_place(to), TableSet.append, []

    def overtaken(self: TableSet, frame: Any, name: str, key: Any) -> None:
        if name == TABLE and not ahead:
            ahead.append(name)
            body = place.spark.createDataFrame([(envelope(URN, "other", {"n": 2, "k": "new"}),)], "value binary")
            other = Tables(schema({"n": INTEGER, "k": TEXT}), to, place.at, keep_duplicates=True)
            other.write(body, application="other", batch=0)
        append(self, frame, name, key)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TableSet, "append", overtaken)
        assert write(place, schema({"n": INTEGER, "m": TEXT}), 0, {"n": 1, "m": "own"}).accepted == 1
    found = sorted((row["data"] for row in place.read(TABLE)), key=lambda data: data["n"])
    assert found == [{"n": 1, "m": "own", "k": None}, {"n": 2, "m": None, "k": "new"}]
    assert write(place, schema({"n": INTEGER, "m": TEXT}), 0, {"n": 1, "m": "own"}).repeated


@pytest.mark.parametrize("written", ["by Spark"], indirect=True)  # as Iceberg always is
def test_iceberg_never_guesses_where_snapshots_were_expired(
    schema: Callable[..., Registry], new_place: Callable[[str], Lakehouse]
) -> None:
    place, registry = new_place("iceberg"), schema({"n": INTEGER})
    append = TableSet.append

    def interrupted(self: TableSet, frame: Any, name: str, key: Any) -> None:
        append(self, frame, name, key)
        if name == TABLE:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TableSet, "append", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write(place, registry, 0, {"n": 1})
    name = place.table(TABLE)
    place.spark.sql(f"DELETE FROM {name} WHERE message_id = 'nobody' OR data.n = 99")
    place.spark.sql(f"INSERT INTO {name} SELECT * FROM {name} LIMIT 0")
    place.spark.sql(f"CALL ice.system.expire_snapshots('{name[4:]}', current_timestamp(), 1)")
    with pytest.raises(InputError, match="the snapshots since the batch began have expired"):
        write(place, registry, 0, {"n": 1})
