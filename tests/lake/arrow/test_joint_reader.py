"""Small tables that one reader reads: the same columns as from each alone, whatever the others declare."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.lake.arrow.canonical_json import canonical
from babelreg.lake.arrow.joint_reader import joint_readers
from babelreg.lake.arrow.struct import Columns
from babelreg.typemap.spark import Array, Json, Scalar, SparkType, Struct, StructField


def _struct(fields: dict[str, Any]) -> Struct:
    return Struct(tuple(StructField(name, type_) for name, type_ in fields.items()))


TYPES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([one for one in Scalar if one is not Scalar.VARIANT]),
    lambda inner: st.one_of(inner.map(Array), st.dictionaries(st.sampled_from("abc"), inner, min_size=1).map(_struct)),
    max_leaves=6,
)
VALUES: dict[Any, list[Any]] = {
    Scalar.BIGINT: [0, -(2**63), 2**63 - 1, 2**63],
    Scalar.DOUBLE: [0.5, 1e300, 7],
    Scalar.BOOLEAN: [True, False],
    Scalar.STRING: ["", 'x"\\\n😀'],
    Scalar.DATE: ["2026-01-01", "0000-01-01"],
    Scalar.TIMESTAMP: ["2026-11-20T10:00:00.1234567z", "2016-12-31T23:59:60Z", "1969-12-31T23:59:59.9+23:30"],
    Scalar.BINARY: ["aGk=", "", "a"],
}


def _values(type_: SparkType) -> st.SearchStrategy[Any]:
    if isinstance(type_, Struct):
        members = {field.name: _values(field.type) for field in type_.fields}
        return st.none() | st.fixed_dictionaries({}, optional=members)
    if isinstance(type_, Array):
        return st.none() | st.lists(_values(type_.element), max_size=3)
    return st.sampled_from([None, *VALUES[type_]])


@st.composite
def _tables(draw: st.DrawFn) -> list[tuple[Struct, list[Any]]]:
    tables = []
    for _ in range(draw(st.integers(1, 4))):
        struct = _struct(draw(st.dictionaries(st.sampled_from("abc"), TYPES, min_size=1)))
        documents = st.fixed_dictionaries({}, optional={field.name: _values(field.type) for field in struct.fields})
        tables.append((struct, draw(st.lists(documents, max_size=4))))
    return tables


@settings(max_examples=fewer(40), deadline=None)
@given(_tables())
def test_each_table_has_the_columns_that_its_documents_make(tables: list[tuple[Struct, list[Any]]]) -> None:
    readers = joint_readers([struct for struct, _ in tables])
    for reader in {id(reader): reader for reader in readers}.values():
        assert reader is not None
        of_reader = [table for table, other in zip(tables, readers, strict=True) if other is reader]
        columns = [Columns(struct) for struct, _ in of_reader]
        written = [_written(documents) for _, documents in of_reader]
        results = reader.read(written, [one.type for one in columns])
        if results is None:
            continue  # for the slower way: a document is refused by one of the tables
        for one, (_, documents), (array, left_out) in zip(columns, of_reader, results, strict=True):
            made, problems = one.typed(documents)
            array.validate(full=True)
            assert left_out == sorted(problems)
            assert array.type == one.type
            assert array.equals(made)


def _written(documents: list[Any]) -> pa.Array:
    return pa.array([canonical(document) for document in documents], pa.binary())


ID, TEXT = {"id": Scalar.BIGINT}, {"id": Scalar.STRING}


@pytest.mark.parametrize(
    "structs, numbers",
    [
        pytest.param([ID, ID], [0, 0], id="the same columns"),
        pytest.param([ID, {"x": Scalar.DATE}], [0, 0], id="other columns"),
        pytest.param([ID, TEXT, ID], [0, 1, 2], id="a column of another type"),
        pytest.param(
            [{"a": _struct(ID)}, {"a": _struct({"x": Scalar.DATE})}], [0, 0], id="an object with other columns"
        ),
        pytest.param([{"a": _struct(ID)}, {"a": _struct(TEXT)}], [0, 1], id="an object with a column of another type"),
        pytest.param([{"a": Array(_struct(ID))}, {"a": _struct(ID)}], [0, 1], id="a list of objects and an object"),
        pytest.param([ID, {"x": Json()}, ID], [0, None, 0], id="between them one that Arrow does not read"),
        pytest.param(
            [{f"c{n}": Scalar.DATE} for n in range(49)], [0] * 48 + [1], id="more columns than one struct has"
        ),
        pytest.param([{}], [None], id="no columns"),
    ],
)
def test_tables_share_a_reader_where_one_struct_holds_their_columns(structs: Any, numbers: list[int | None]) -> None:
    readers = joint_readers([_struct(fields) for fields in structs])
    order: list[Any] = list(dict.fromkeys(reader for reader in readers if reader is not None))
    assert [None if reader is None else order.index(reader) for reader in readers] == numbers
