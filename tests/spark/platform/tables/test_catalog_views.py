"""Permanent views over the tables of several versions of a message."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.model import Registry
from babelreg.spark.platform.tables import Tables

sys.path.insert(0, str(Path(__file__).parents[3] / "lake" / "shared"))
from lakehouse import Lakehouse, envelope

pytestmark = [pytest.mark.spark, pytest.mark.servers]

V1, V2, V3 = (f"urn:babel:orders:created{end}" for end in ("", ".v2", ".v3"))
TEXT, INTEGER = {"type": "string"}, {"type": "integer"}
MONEY = {"type": "object", "properties": {"minor": INTEGER, "currency": TEXT}}
MESSAGES: dict[str, dict[str, Any]] = {
    V1: {"data": {"amount": TEXT, "mail": {**TEXT, "x-gdpr-sensitive": "email"}}},
    V2: {
        "data": {"total": MONEY, "mail": {**TEXT, "x-gdpr-sensitive": "email"}},
        "supersedes": V1,
        "upcast": [{"cast": {"amount": "string->integer"}}, {"rename": {"amount": "total.minor"}}],
    },
    V3: {
        "data": {"total": MONEY, "contact": TEXT},
        "supersedes": V2,
        "upcast": [{"default": {"total.currency": "EUR"}}, {"rename": {"mail": "contact"}}],
    },
}


def registry(urns: tuple[str, ...], **changed: Any) -> Registry:
    files = {"babelreg.yaml": b"version: 1\n", "orders/_context.yaml": b"owner: team\n"}
    for urn in urns:
        message = {"urn": urn, "kind": "event", **MESSAGES[urn], **changed.get(urn[-2:], {})}
        message["data"] = {"type": "object", "properties": message["data"]}
        files[f"orders/{urn.split(':')[3]}.yaml"] = json.dumps(message).encode()
    return load.from_tree(load.files.tree.Memory(files))


def write(place: Lakehouse, messages: Registry, batch: int, urn: str, *data: dict[str, Any]) -> None:
    bodies = [(envelope(urn, f"{batch}-{number}", value),) for number, value in enumerate(data)]
    frame = place.spark.createDataFrame(bodies, "value binary").coalesce(1)
    Tables(messages, place.to, place.at, keep_duplicates=True).write(frame, application="job", batch=batch)


@pytest.mark.parametrize("to", ["delta", "iceberg"])
def test_all_versions_are_one_permanent_view(to: str, new_place: Callable[[str], Lakehouse]) -> None:
    place = new_place(to)
    write(place, registry((V1,)), 0, V1, {"amount": "12", "mail": "a@example.com"}, {"amount": "many"})
    newest = registry((V1, V2, V3))
    schema = f"spark_catalog.versions_{to}"
    place.spark.sql(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    names = Tables(newest, to, place.at).create_views(place.spark, schema)
    assert [name.split("`")[-2] for name in names] == [
        "orders_created",
        "orders_created__masked",
        "orders_created_v2__versions",  # before its first message
        "orders_created_v2__versions__masked",
        "orders_created_v3__versions",
        "orders_created_v3__versions__masked",
    ]
    write(place, newest, 1, V3, {"total": {"minor": 7, "currency": "USD"}, "contact": "b@example.com"})
    Tables(newest, to, place.at).create_views(place.spark, schema)

    # the catalog of the Iceberg tables is a setting of the session
    other = place.spark.newSession() if to == "delta" else place.spark
    shown = other.table(f"{schema}.orders_created_v3__versions")
    assert shown.columns[-6:] == [
        "upcast_from", "upcast_error", "total_minor", "total_currency", "contact", "data_json",
    ]  # fmt: skip
    rows = {(row.urn, row.total_minor, row.total_currency, row.contact, row.upcast_from) for row in shown.collect()}
    assert rows == {
        (V1, 12, "EUR", "a@example.com", V1),
        (V1, None, None, None, V1),
        (V3, 7, "USD", "b@example.com", None),
    }
    (failed,) = shown.where("upcast_error IS NOT NULL").collect()
    assert failed.upcast_error == "upcast_failed: upcast 1 (cast): amount is not a string of an integer's digits"
    assert json.loads(failed.data_json) == {"amount": "many"}
    masked = other.table(f"{schema}.orders_created_v3__versions__masked")
    assert "data_json" not in masked.columns
    assert {(row.total_minor, row.contact) for row in masked.collect()} == {
        (12, None), (None, None), (7, "b@example.com"),
    }  # fmt: skip


def test_an_upcast_that_sql_cannot_express_is_named_and_has_no_such_view(new_place: Callable[[str], Lakehouse]) -> None:
    place, messages = new_place("delta"), registry((V1, V2), v2={"data": {"total": TEXT}, "upcast": [{"drop": "mail"}]})
    mapped = registry((V1, V2), v2={"upcast": [{"map": {"amount": {"null": "0"}}}]})
    write(place, messages, 0, V1, {"amount": "12"})
    place.spark.sql("CREATE SCHEMA IF NOT EXISTS spark_catalog.versions_refused")
    with pytest.warns(
        RuntimeWarning, match=f"{V2} has no view of its versions: {V1}: upcast 1 .map.: amount: a column"
    ):
        names = Tables(mapped, "delta", place.at).create_views(place.spark, "spark_catalog.versions_refused")
    assert [name.split("`")[-2] for name in names] == ["orders_created", "orders_created__masked"]
