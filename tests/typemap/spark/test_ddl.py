from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.typemap import spark
from babelreg.typemap.spark import Array, Decimal, Json, Map, Scalar, Struct, StructField
from babelreg.typemap.spark.ddl import name

NESTED = Struct(
    (
        StructField("order_id", Scalar.BIGINT, "Order's number."),
        StructField("select", Array(Struct((StructField("a.b", Decimal(18, 2)), StructField("free", Json()))))),
        StructField("labels", Map(Array(Scalar.DATE)), sensitive="email"),
    )
)

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
TYPES: st.SearchStrategy[spark.SparkType] = st.recursive(
    st.one_of(
        st.sampled_from([*Scalar, Json()]),
        st.integers(1, 38).flatmap(lambda p: st.builds(Decimal, st.just(p), st.integers(0, p))),
    ),
    lambda below: st.one_of(
        st.builds(Array, below),
        st.builds(Map, below),
        st.builds(
            lambda named, comment: Struct(tuple(StructField(one, kind, comment) for one, kind in named.items())),
            st.dictionaries(NAMES, below, max_size=3),
            st.none() | NAMES,
        ),
    ),
    max_leaves=6,
)


def test_sql() -> None:
    assert spark.ddl(NESTED) == (
        "order_id BIGINT COMMENT 'Order\\'s number.', "
        "`select` ARRAY<STRUCT<`a.b`: DECIMAL(18,2), free: STRING>>, labels MAP<STRING, ARRAY<DATE>>"
    )
    assert spark.ddl(NESTED, comments=False).startswith("order_id BIGINT, ")


def test_sql_for_people_puts_nested_columns_below_their_struct() -> None:
    assert spark.layout(NESTED) == (
        "    order_id BIGINT COMMENT 'Order\\'s number.',\n"
        "    `select` ARRAY<STRUCT<\n"
        "        `a.b`: DECIMAL(18,2),\n"
        "        free: STRING\n"
        "    >>,\n"
        "    labels MAP<STRING, ARRAY<DATE>>"
    )


@pytest.mark.parametrize(
    "written, spelled",
    [
        pytest.param("order_id", "order_id", id="a word"),
        pytest.param("order", "`order`", id="a word of SQL"),
        pytest.param("Order", "`Order`", id="a word of SQL in other case"),
        pytest.param("1st", "`1st`", id="a digit first"),
        pytest.param("a`b", "`a``b`", id="a backtick"),
        pytest.param("a b", "`a b`", id="a space"),
        pytest.param("é", "`é`", id="another letter"),
        pytest.param("", "``", id="nothing"),
    ],
)
def test_a_name_is_quoted_where_sql_needs_it(written: str, spelled: str) -> None:
    assert name(written) == spelled


def test_python_source() -> None:
    assert spark.source(NESTED) == (
        "StructType(\n"
        "    [\n"
        '        StructField("order_id", LongType(), metadata={"comment": "Order\'s number."}),\n'
        "        StructField(\n"
        '            "select",\n'
        "            ArrayType(\n"
        "                StructType(\n"
        "                    [\n"
        '                        StructField("a.b", DecimalType(18, 2)),\n'
        '                        StructField("free", StringType()),\n'
        "                    ]\n"
        "                ),\n"
        "            ),\n"
        "        ),\n"
        "        StructField(\n"
        '            "labels",\n'
        "            MapType(StringType(), ArrayType(DateType())),\n"
        '            metadata={"sensitive": "email"},\n'
        "        ),\n"
        "    ]\n"
        ")"
    )
    assert spark.classes(NESTED) == {
        *("StructType", "StructField", "ArrayType", "MapType"),
        *("LongType", "DecimalType", "StringType", "DateType"),
    }


@settings(deadline=None)
@given(st.text())
def test_a_literal_is_its_text(written: str) -> None:
    assert ast.literal_eval(spark.text(written)) == written


@settings(deadline=None)
@given(TYPES)
def test_source_and_json_are_the_same_type_to_pyspark(type_: spark.SparkType) -> None:
    types = pytest.importorskip("pyspark.sql.types")
    struct = Struct((StructField("x", type_, "c"),))
    known = {one: getattr(types, one) for one in spark.classes(struct)}
    assert eval(spark.source(struct), known) == types.StructType.fromJson(spark.as_json(struct))
    assert types.StructType.fromJson(spark.as_json(struct)).jsonValue() == spark.as_json(struct)
