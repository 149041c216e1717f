"""What ``typemap.spark`` says of Spark, asked of Spark itself."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.gen.targets.spark import target as target
from babelreg.typemap import spark as typemap

pytestmark = pytest.mark.spark

EXAMPLE = Path(__file__).parents[3] / "registry.example"
SCHEMA = {
    "properties": {
        "i": {"type": "integer"},
        "u": {"type": "integer", "maximum": 2**64 - 1},
        "n": {"type": "number"},
        "p": {"type": "number", "x-spark-type": "decimal(7,2)"},
        "q": {"type": "string", "x-spark-type": "decimal(38,2)"},
        "t": {"type": "string", "format": "date-time"},
        "d": {"type": "string", "format": "date"},
        "y": {"type": "string", "x-spark-type": "binary"},
        "j": {},
        "select": {"type": "array", "items": {"type": "object", "properties": {"a.b": {"type": "boolean"}}}},
        "it's \"`": {"type": "object", "additionalProperties": {"type": "integer"}, "description": "it's \\ `x`"},
        "\u202eé\n": {"type": "string"},
    }
}


CASES = [
    pytest.param("i", 1.0, 1, id="an integer written as a float"),
    pytest.param("i", -(2**63), -(2**63), id="the least of 64 bits"),
    pytest.param("u", 2**64 - 1, Decimal(2**64 - 1), id="64 bits unsigned"),
    pytest.param("n", 5, 5.0, id="a number without fraction"),
    pytest.param("n", 10**300, 1e300, id="a great integer"),
    pytest.param("p", 12345.67, Decimal("12345.67"), id="a decimal"),
    pytest.param("p", 1e2, Decimal("100.00"), id="a decimal with an exponent"),
    pytest.param("q", "123456789012345678901234567890123456.78", Decimal("123456789012345678901234567890123456.78"), id="text"),
    pytest.param("t", "2026-11-20t10:00:00.1234567z", datetime(2026, 11, 20, 10, 0, 0, 123456, UTC), id="lower case"),
    pytest.param("t", "2026-11-20T10:00:00+23:30", datetime(2026, 11, 19, 10, 30, tzinfo=UTC), id="a far offset"),
    pytest.param("t", "2026-12-31T23:59:59-00:00", datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC), id="no offset known"),
    pytest.param("t", "0001-01-01T00:00:00Z", datetime(1, 1, 1, tzinfo=UTC), id="the first instant"),
    pytest.param("t", "9999-12-31T23:59:59.999999Z", datetime(9999, 12, 31, 23, 59, 59, 999999, UTC), id="the last"),
    pytest.param("d", "0001-01-01", date(1, 1, 1), id="the first day"),
    pytest.param("y", "aGk=", b"hi", id="base64"),
    pytest.param("j", "5", '"5"', id="JSON text of a text"),
    pytest.param("j", {"b": [1.10, 10**30]}, '{"b":[1.1,1000000000000000000000000000000]}', id="JSON text of an object"),
    pytest.param("select", [{"a.b": True}, None, {}], [{"a.b": True}, None, {"a.b": None}], id="an array of objects"),
    pytest.param('it\'s "`', {"": 1, "x": None}, {"": 1, "x": None}, id="a map"),
    pytest.param("\u202eé\n", "\x00😀\u2028", "\x00😀\u2028", id="any character in a name and in a text"),
]  # fmt: skip
"""Columns, values and what is read of them."""


@pytest.mark.parametrize("engine", ["Spark", "pyarrow"])
@pytest.mark.parametrize("name, value, read", CASES)
def test_what_fits_is_read_back_from_parquet(
    rows: dict[str, list[Any]], engine: str, name: str, value: Any, read: Any
) -> None:
    (found,) = (row for row, case in zip(rows[engine], CASES, strict=True) if case.values[:2] == (name, value))
    assert (dict(found[name]) if isinstance(read, dict) else found[name]) == read
    assert [other for other in found if found[other] is not None] == [name]


@pytest.fixture(scope="module")
def rows(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """The ``data`` of a document for each of the cases, as a table holds it, by who reads it."""
    import pyarrow as pa
    from pyarrow import parquet

    from babelreg.lake.arrow.struct import Columns
    from babelreg.lake.arrow.table_schema import table_schema, writer
    from babelreg.spark.session.local import isolated

    struct = typemap.columns(SCHEMA)
    data, problems = Columns(struct).typed([{case.values[0]: case.values[1]} for case in CASES])
    assert not problems
    path, schema = tmp_path_factory.mktemp("typed") / "table.parquet", table_schema(struct)
    known = {"data": data, "source_offset": pa.array(range(len(CASES)))}
    columns = [known.get(field.name, pa.nulls(len(CASES), field.type)) for field in schema]
    with writer(path, schema) as target:
        target.write_table(pa.table(columns, schema=schema))
    session = isolated(spark)
    session.conf.set("spark.sql.session.timeZone", "UTC")
    session.conf.set("spark.sql.caseSensitive", "true")
    found = session.read.parquet(str(path)).orderBy("source_offset").toArrow()
    return {
        engine: table["data"].to_pylist() for engine, table in (("Spark", found), ("pyarrow", parquet.read_table(path)))
    }


def test_the_ddl_is_the_same_type_as_the_json(spark: Any) -> None:
    from pyspark.sql.types import StructType

    loaded = load.registry(EXAMPLE)
    for schema in (SCHEMA, *loaded.schemas.values()):
        struct = typemap.columns(schema)
        wanted = StructType.fromJson(typemap.as_json(struct))
        plain = wanted.jsonValue()
        assert StructType.fromDDL(typemap.ddl(struct)).simpleString() == wanted.simpleString()
        assert StructType.fromDDL(typemap.ddl(struct, comments=False)).simpleString() == wanted.simpleString()
        read = StructType.fromDDL(typemap.ddl(struct)).jsonValue()
        assert [f["metadata"].get("comment") for f in read["fields"]] == [
            f["metadata"].get("comment") for f in plain["fields"]
        ]


def test_spark_parses_every_generated_view(spark: Any) -> None:
    parser = spark._jsparkSession.sessionState().sqlParser()
    views = [file for file in target.files(load.registry(EXAMPLE), {}) if file.path.endswith(".sql")]
    assert views
    for file in views:
        statements = file.text.partition("\n\n")[2].split(";\n")
        assert len(statements) == 4
        for statement in statements[:3]:
            assert "View" in parser.parsePlan(statement).toString()
