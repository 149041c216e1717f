"""Documents read by Arrow from their JSON: the same columns as from the documents, and the same refusals."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.lake.arrow.canonical_json import canonical
from babelreg.lake.arrow.json_reader import reader
from babelreg.lake.arrow.struct import Columns
from babelreg.typemap import spark as typemap
from babelreg.typemap.spark import Array, Decimal, Json, Map, Scalar, Struct, StructField

READ = [one for one in Scalar if one is not Scalar.VARIANT]
TYPES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(READ),
    lambda inner: st.one_of(
        inner.map(Array),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda some: Struct(tuple(StructField("abc"[n], type_) for n, type_ in enumerate(some)))
        ),
    ),
    max_leaves=4,
)
TEXTS = [
    "",
    "x",
    "1",
    '\x00"\\\n😀\u2028',
    "2026-01-01",
    "0000-01-01",
    "2026-02-30",
    "aGk=",
    "aGk",
    "2026-01-01 00:00:00Z",
]
INSTANTS = [
    "2026-11-20t10:00:00.1234567z",
    "0001-01-01T00:00:00Z",
    "2026-12-31T23:59:60Z",
    "1969-12-31T23:59:59.9999999+23:30",
]
NUMBERS = [0, 1.0, 1.5, -0.0, 0.1, 5e-324, 1e300, 2**63, 2**63 - 1, -(2**63), 2**53 + 1, 1e19, 10**300, 10**400]
VALUES = st.recursive(
    st.sampled_from([None, True, False, *NUMBERS, *TEXTS, *INSTANTS]),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc€"), inner, max_size=3)),
    max_leaves=5,
)  # fmt: skip


@settings(deadline=None)
@given(TYPES, st.lists(VALUES, min_size=1, max_size=4))
def test_what_is_read_is_what_the_documents_make_and_what_they_refuse_is_refused(type_: Any, values: list[Any]) -> None:
    struct = Struct((StructField("x", type_, certain=False), StructField("id", Scalar.BIGINT)))
    documents = [{"id": number, "x": value, "y": value} for number, value in enumerate(values)]
    made, problems = Columns(struct).typed(documents)
    read = reader(struct)
    assert read is not None
    try:
        found, left_out = read(_written(documents))
    except (ValueError, typemap.Unstorable):
        return  # for the slower way, as a number with a fraction of zeros is
    assert left_out == sorted(problems)
    found.validate(full=True)
    assert found.type == made.type
    assert found.equals(made)


@pytest.mark.parametrize(
    "schema, document",
    [
        pytest.param({"type": "integer"}, {"x": -(2**63)}, id="the least integer"),
        pytest.param({"type": "number"}, {"x": 0.1}, id="a fraction"),
        pytest.param({"type": "number"}, {"x": 10**25}, id="a large whole number"),
        pytest.param({"type": "string"}, {"x": "\x00\"\\\n😀"}, id="any text"),
        pytest.param({"type": "boolean"}, {"x": False}, id="a boolean"),
        pytest.param({"type": "string", "format": "date-time"}, {"x": "2026-01-01T00:00:00.5-07:00"}, id="an instant"),
        pytest.param({"type": "string", "format": "date"}, {"x": "2026-01-01"}, id="a day"),
        pytest.param({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, {"x": [[1], None, []]}, id="arrays"),
        pytest.param({"type": "object", "properties": {"a.b": {"type": "integer"}}}, {"x": {"a.b": 1}}, id="an object"),
        pytest.param({"type": "object", "properties": {"a": {"type": "integer"}}}, {"x": None}, id="no object"),
        pytest.param({"type": "integer"}, {"y": {"deep": [[[[[{}]]]]]}}, id="what has no column"),
        pytest.param({"type": "integer"}, {}, id="nothing"),
    ],
)  # fmt: skip
def test_what_fits_is_read_by_arrow_itself(schema: Any, document: Any) -> None:
    struct = typemap.columns({"type": "object", "properties": {"x": schema}})
    read = reader(struct)
    assert read is not None
    made, problems = Columns(struct).typed([document, {}, document])
    assert not problems
    assert read(_written([document, {}, document])) == (made, [])
    assert read(_written([{"x": 0}, document, {}, document, {"x": 0}]).slice(1, 3)) == (made, [])


@pytest.mark.parametrize(
    "type_",
    [
        pytest.param(Json(), id="JSON text"),
        pytest.param(Map(Scalar.BIGINT), id="a map"),
        pytest.param(Decimal(7, 2), id="a decimal"),
        pytest.param(Scalar.VARIANT, id="a variant"),
        pytest.param(Array(Json()), id="an array of JSON text"),
        pytest.param(Struct(()), id="an object without columns"),
    ],
)
def test_what_arrow_cannot_read_is_left_to_the_documents(type_: Any) -> None:
    assert reader(Struct((StructField("x", type_),))) is None


def test_what_nests_without_end_is_read_without_recursion() -> None:
    read = reader(Struct((StructField("x", Scalar.BIGINT),)))
    assert read is not None
    found, _ = read(pa.array([b'{"x":1,"y":' + b"[" * 100_000 + b"]" * 100_000 + b"}"]))
    assert found.to_pylist() == [{"x": 1}]


@pytest.mark.parametrize("documents", [[], [b""], [b'{"x":1}{"x":2}'], [b'{"x":1}', b""], [b'{"x":1', b"}"]])
def test_another_number_of_documents_is_refused(documents: list[bytes]) -> None:
    read = reader(Struct((StructField("x", Scalar.BIGINT),)))
    assert read is not None
    with pytest.raises(ValueError):  # noqa: PT011 -- Arrow's own is one
        read(pa.array(documents, pa.binary()))


def _written(documents: list[Any]) -> pa.Array:
    return pa.array([canonical(one) for one in documents], pa.binary())
