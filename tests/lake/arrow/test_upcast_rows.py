"""Rows of older versions are what ``contract.upcast`` makes of their data, or say why they are not."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.contract import Contract
from babelreg.contract.upcast import UpcastError, compiled
from babelreg.lake.arrow.canonical_json import canonical
from babelreg.lake.arrow.upcast_rows import RowUpcaster, UpcastPlan
from babelreg.typemap import spark as typemap

OLD, NEW = "urn:babel:orders:created", "urn:babel:orders:created.v2"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["total"],
    "properties": {
        "total": {"type": "object", "required": ["minor"], "properties": {"minor": {"type": "integer"}, "currency": {"type": "string", "minLength": 3}}},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"qty": {"type": "integer"}}}},
        "state": {"enum": ["new", "paid"]},
    },
}  # fmt: skip
STEPS: Sequence[Mapping[str, Any]] = (
    {"rename": {"amount": "total.minor", "lines[].n": "lines[].qty"}},
    {"default": {"total.currency": "EUR"}},
    {"map": {"state": {"1": "new", "2": "paid"}}},
)


def batch(documents: Sequence[Any], urn: str = OLD) -> pa.RecordBatch:
    """Stored rows with that data."""
    made = {name: pa.nulls(len(documents), pa.string()) for name in UpcastPlan(urn, {}, False, {}).stored}
    made["created_at"] = pa.nulls(len(documents), pa.timestamp("us", "UTC"))
    made["attempts"] = made["source_offset"] = pa.array(range(len(documents)), pa.int64())
    made["urn"] = pa.array([urn] * len(documents))
    made["data_json"] = pa.array([one if isinstance(one, str) else canonical(one).decode() for one in documents])
    return pa.RecordBatch.from_pydict(made)


def carried(documents: Sequence[Any], steps: Sequence[Mapping[str, Any]] = STEPS, **changed: Any) -> list[Any]:
    """The rows that come of ``documents``."""
    found = RowUpcaster(UpcastPlan(**{"urn": NEW, "schema": SCHEMA, "strict": False, "steps": {OLD: steps}, **changed}))
    return list(found.upcast(batch(documents)).to_pylist())


CASES = [
    pytest.param({"amount": 5}, {"minor": 5, "currency": "EUR"}, None, id="renamed and defaulted"),
    pytest.param({"amount": 5.0}, {"minor": 5, "currency": "EUR"}, None, id="a whole number with a fraction"),
    pytest.param({"amount": 5, "total": {"currency": "SEK"}}, {"minor": 5, "currency": "SEK"}, None, id="kept"),
    pytest.param(
        {"amount": 1, "total": {"minor": 2}}, None, "upcast_failed: upcast 1 (rename): 'total.minor' already", id="both"
    ),
    pytest.param({"total": []}, None, "upcast_failed: upcast 2 (default): ", id="no place for a default"),
    pytest.param({}, None, "missing_required: /total lacks the property 'minor'", id="nothing to rename"),
    pytest.param({"amount": "5"}, None, "not_an_integer: /total/minor is not an integer", id="of another type"),
    pytest.param(
        {"amount": 2**63}, None, "unstorable_integer: no column holds this integer: /total/minor", id="too large"
    ),
    pytest.param(
        {"amount": 1, "state": 3}, None, "not_in_enum: /state is not one of the values listed", id="not in the table"
    ),
]


@pytest.mark.parametrize("data, total, error", CASES)
def test_what_becomes_of_a_row(data: Any, total: Any, error: str | None) -> None:
    # Between two that pass: a row that does not takes no other's place.
    first, row, last = carried([{"amount": 1}, data, {"amount": 3}])
    assert (first["data"]["total"]["minor"], last["data"]["total"]["minor"]) == (1, 3)
    assert (row["urn"], row["upcast_from"], row["attempts"]) == (OLD, OLD, 1)
    if error is None:
        assert row["data"]["total"] == total
        assert row["upcast_error"] is None
        assert json.loads(row["data_json"]) == compiled(STEPS).apply(data)
    else:
        assert row["data"] is None
        assert row["upcast_error"].startswith(error)
        assert json.loads(row["data_json"]) == data


def test_undeclared_properties_come_along_as_json() -> None:
    (row,) = carried([{"amount": 1, "note": {"x": 10**30}}])
    assert json.loads(row["data_json"])["note"] == {"x": 10**30}


def test_a_document_as_deep_as_a_message_may_be_is_carried_over() -> None:
    deep = "[" * 900 + "]" * 900
    (row,) = carried([f'{{"amount":1,"note":{deep}}}'])
    assert (row["upcast_error"], row["data"]["total"]["minor"]) == (None, 1)
    assert deep in row["data_json"]


def test_rows_may_come_in_another_time_zone_and_with_wide_texts() -> None:
    upcaster = RowUpcaster(UpcastPlan(NEW, SCHEMA, False, {OLD: STEPS}))
    plain = batch([{"amount": 1}])
    plain = plain.set_column(
        plain.schema.names.index("created_at"), "created_at", pa.array([7], pa.timestamp("us", "UTC"))
    )
    types = {pa.string(): pa.large_string(), pa.timestamp("us", "UTC"): pa.timestamp("us", "Asia/Kolkata")}
    wide = pa.RecordBatch.from_arrays(
        [column.cast(types.get(column.type, column.type)) for column in plain], plain.schema.names
    )
    assert upcaster.upcast(wide) == upcaster.upcast(plain)


def test_json_that_was_spoilt_is_told() -> None:
    (row,) = carried(['{"amount": 1'])
    assert (row["data"], row["data_json"]) == (None, '{"amount": 1')
    assert row["upcast_error"].startswith("invalid_json: ")


def test_a_version_without_columns_keeps_its_json() -> None:
    (row,) = carried([{"a": 1}], [{"rename": {"a": "b"}}], schema={"type": "object"})
    assert "data" not in row
    assert (row["data_json"], row["upcast_error"]) == ('{"b":1}', None)


_NAMES = st.sampled_from(["a", "b", "c.d", "l"])
_SCALAR = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["x", "1", "é", 1.5, 2.0, 2**70])
_VALUES = st.recursive(
    _SCALAR, lambda below: st.lists(below, max_size=2) | st.dictionaries(_NAMES, below, max_size=3), max_leaves=6
)
_PATHS = st.sampled_from(["a", "b", "a.b", "l[].a", "l[].b", "c\\.d", "b.l[].a", "new.deep"])
_OPERATIONS = st.one_of(
    st.builds(lambda a, b: {"rename": {a: b}}, _PATHS, _PATHS).filter(
        lambda one: (
            len({path.count("[]") for pair in one["rename"].items() for path in pair}) == 1
            and all(a.rpartition("[]")[0] == b.rpartition("[]")[0] for a, b in one["rename"].items())
        )
    ),
    st.builds(lambda path, value: {"set": {path: value}}, _PATHS, _SCALAR),
    st.builds(lambda path, value: {"default": {path: value}}, _PATHS, _SCALAR),
    st.builds(lambda path: {"drop": path}, _PATHS),
    st.builds(
        lambda path, kind: {"cast": {path: kind}}, _PATHS, st.sampled_from(["integer->string", "string->integer"])
    ),
    st.builds(lambda path, value: {"map": {path: {"x": value, "1": "one", "2": "two"}}}, _PATHS, _SCALAR),
)
_OPEN: dict[str, Any] = {
    "type": "object",
    "properties": {
        "a": {},
        "b": {"type": ["object", "integer", "array", "string", "null"]},
        "l": {
            "type": "array",
            "items": {"type": ["object", "null"], "properties": {"a": {"type": ["integer", "null"]}}},
        },
        "new": {"type": "object", "properties": {"deep": {"type": ["string", "null"]}}},
    },
}


@settings(max_examples=fewer(60, 150), deadline=None)
@given(
    st.lists(st.dictionaries(_NAMES, _VALUES, max_size=4), min_size=1, max_size=8), st.lists(_OPERATIONS, max_size=4)
)
def test_what_is_read_is_what_python_makes_of_it(documents: list[Any], steps: list[Mapping[str, Any]]) -> None:
    before = copy.deepcopy(documents)
    upcast, judge, struct = compiled(steps), Contract({NEW: _OPEN}).data_verdict, typemap.columns(_OPEN)
    for data, row in zip(documents, carried(documents, steps, schema=_OPEN), strict=True):
        try:
            # Stored data has its names in order, on which it depends which violation is the first.
            wanted = upcast.apply(json.loads(canonical(data)))
        except UpcastError as err:
            assert row["upcast_error"] == f"upcast_failed: {err.message}"
            continue
        verdict = judge(NEW, wanted)
        if not verdict.ok:
            assert row["upcast_error"].startswith(f"{verdict.reason}: ")
            continue
        assert json.loads(row["data_json"]) == wanted
        assert row["upcast_error"] is None
        assert row["data"] == _columns(struct, wanted)
    assert documents == before


def _columns(type_: typemap.SparkType, value: Any) -> Any:
    """What the columns of a value read as, spelled out anew: what is absent is null, JSON text is JSON."""
    if value is None:
        return None
    if isinstance(type_, typemap.Struct):
        return {column.name: _columns(column.type, value.get(column.name)) for column in type_.fields}
    if isinstance(type_, typemap.Array):
        return [_columns(type_.element, item) for item in value]
    if isinstance(type_, typemap.Json):
        return _Same(value)
    return value


class _Same:
    """Equal to every JSON text of a value."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and json.loads(other) == self._value

    __hash__: Callable[..., int] = None  # type: ignore[assignment]
