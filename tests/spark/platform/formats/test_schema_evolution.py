"""Columns of a table against those that are written."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.errors import InputError
from babelreg.spark.platform.formats.schema_evolution import check_types, lacks, merged_properties
from babelreg.spark.platform.formats.table_format import StoredTable
from babelreg.spark.platform.formats.table_layout import TableLayout, portable, rows_layout
from babelreg.typemap import spark as typemap

pytest.importorskip("pyspark")

URN = "urn:babel:shop:paid"
INTEGER, TEXT, ANYTHING = {"type": "integer"}, {"type": "string"}, {}
DECIMAL = {"type": "string", "x-spark-type": "decimal(10,2)"}


def layout(**properties: Any) -> TableLayout:
    struct = portable(typemap.columns({"type": "object", "properties": properties}))
    assert isinstance(struct, typemap.Struct)
    return rows_layout(URN, "Paid.", struct, [])


def table(made: TableLayout) -> StoredTable:
    from pyspark.sql.types import StructType

    return StoredTable(StructType.fromJson(made.schema), made.all_properties)


def array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def struct(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def mapping(values: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


@pytest.mark.parametrize(
    "old, new, message",
    [
        pytest.param(INTEGER, TEXT, "has 'data.a' as BIGINT, but the registry now defines it as STRING", id="a value"),
        pytest.param(
            TEXT, ANYTHING, "'data.a' as STRING, but the registry now defines it as JSON", id="text, then JSON text"
        ),
        pytest.param(ANYTHING, TEXT, "'data.a' as JSON", id="JSON text, then text"),
        pytest.param(TEXT, DECIMAL, "now defines it as DECIMAL(10,2)", id="a decimal"),
        pytest.param(array(INTEGER), array(TEXT), "'data.a[]' as BIGINT", id="items"),
        pytest.param(array(struct(b=INTEGER)), array(struct(b=TEXT)), "'data.a[].b' as BIGINT", id="a member of items"),
        pytest.param(mapping(INTEGER), mapping(TEXT), "'data.a{}' as BIGINT", id="values of a map"),
        pytest.param(
            INTEGER, struct(b=INTEGER), "'data.a' as BIGINT, but the registry now defines it as STRUCT", id="a struct"
        ),
        pytest.param(struct(b=INTEGER), array(INTEGER), "'data.a' as STRUCT", id="an array in place of a struct"),
    ],
)
def test_a_changed_type_is_refused_by_name(old: Any, new: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_types(table(layout(a=old)), layout(a=new))
    assert message in str(caught.value).replace("decimal", "DECIMAL")
    assert "babelreg mint urn:babel:shop:paid" in str(caught.value)


@pytest.mark.parametrize(
    "old, new, adds",
    [
        pytest.param({"a": INTEGER}, {"a": INTEGER, "b": TEXT}, True, id="a new column"),
        pytest.param({"a": INTEGER, "b": TEXT}, {"a": INTEGER}, False, id="a removed one"),
        pytest.param({"a": array(struct(b=TEXT))}, {"a": array(struct(b=TEXT, c=TEXT))}, True, id="new within items"),
        pytest.param(
            {"a": mapping(struct(b=TEXT))}, {"a": mapping(struct(b=TEXT, c=TEXT))}, True, id="new within a map"
        ),
        pytest.param({"a": {"x-spark-type": "variant"}}, {"a": ANYTHING}, False, id="VARIANT is JSON text"),
        pytest.param({}, {"a": TEXT}, True, id="the first column of data"),
    ],
)
def test_new_and_removed_columns_are_no_conflict(old: Any, new: Any, adds: bool) -> None:
    check_types(table(layout(**old)), layout(**new))
    assert lacks(table(layout(**old)), layout(**new)) == adds


def test_tags_of_removed_columns_stay_and_new_ones_are_added() -> None:
    was = layout(email={**TEXT, "x-gdpr-sensitive": "email"}, free=ANYTHING)
    now = layout(name={**TEXT, "x-gdpr-sensitive": "name"}, other=ANYTHING)
    assert merged_properties(table(was), was) == {}
    assert merged_properties(table(was), now) == {
        "babelreg.json": '["data.free", "data.other"]',
        "babelreg.sensitive": '{"data.email": "email", "data.name": "name"}',
    }
