"""Documents of any schema: its columns say what a valid one says, or it is named as unstorable."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from babelreg.contract.views import reader_view
from babelreg.lake.arrow.struct import Columns
from babelreg.typemap import spark

sys.path.insert(0, str(Path(__file__).parents[1] / "lake" / "shared"))
import read_back

INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
INSTANT = {"type": "string", "format": "date-time"}
DAY = {"type": "string", "format": "date"}
FREE: dict[str, Any] = {}
NAMES = ["a", "b", "A", "c d"]
SCALARS: list[dict[str, Any]] = [
    INTEGER, NUMBER, INSTANT, DAY, FREE, {"type": "string"}, {"type": "boolean"}, {"type": ["integer", "null"]},
    {"type": ["integer", "string"]}, {"type": "object"}, {"type": "array"}, {"enum": ["a", 1]}, {"const": "k"},
    {"type": "string", "enum": ["a"], "x-open-enum": True}, {"$ref": "#/$defs/one"}, {"$ref": "#/$defs/two"},
    {"type": "number", "x-spark-type": "decimal(9,3)"}, {"type": "string", "x-spark-type": "json"}, {"$ref": "#"},
]  # fmt: skip


def objects(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {"properties": st.dictionaries(st.sampled_from(NAMES), below, min_size=1, max_size=3)},
        optional={
            "type": st.just("object"),
            "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
            "additionalProperties": st.one_of(st.booleans(), below),
            "patternProperties": st.dictionaries(st.just("^z"), below, max_size=1),
        },
    )


def combined(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    few = st.lists(below, min_size=1, max_size=3)
    return st.one_of(
        objects(below),
        st.builds(lambda key, branches: {key: branches}, st.sampled_from(["anyOf", "oneOf", "allOf"]), few),
        st.builds(lambda one, branches: {**one, "anyOf": branches}, objects(below), few),
        st.builds(lambda one, then: {**one, "if": {"required": ["a"]}, "then": then}, objects(below), objects(below)),
    )


def several(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        combined(below),
        st.builds(lambda items: {"type": "array", "items": items}, below),
        st.builds(lambda one, rest: {"type": "array", "prefixItems": [one], "items": rest}, below, below),
    )


INNER = st.recursive(st.sampled_from(SCALARS), several, max_leaves=6)
SCHEMAS = st.builds(
    lambda root, one, two: {**root, "$defs": {"one": one, "two": two}},
    combined(INNER),
    INNER,
    INNER,
)
OF_TYPE: dict[str, list[Any]] = {
    "integer": [0, 1.0, -3, 2**53 + 1, 2**63],
    "number": [0.5, 1.0, 5, 12.125, 0.0001, 1e30, 10**400],
    "string": ["a", "k", "", "é\x00"],
    "date-time": ["2026-11-20T10:00:00Z", "2026-11-20t10:00:00.1234567Z", "2016-12-31T23:59:60Z"],
    "date": ["2026-11-20", "0000-01-01"],
    "boolean": [True, False],
    "null": [None],
}
"""Values of each type, or of the format that is asked of a text."""

VALUES = st.recursive(
    st.sampled_from([value for values in OF_TYPE.values() for value in values]),
    lambda below: st.one_of(
        st.lists(below, max_size=2), st.dictionaries(st.sampled_from([*NAMES, "z", "zz"]), below, max_size=4)
    ),
    max_leaves=8,
)


def near(schema: Any, root: Any, depth: int = 4) -> st.SearchStrategy[Any]:
    """Values that ``schema`` may well take, and now and then any other."""
    if not isinstance(schema, dict) or not depth:
        return VALUES
    if "$ref" in schema:
        step = schema["$ref"].rpartition("/")[2]
        return near(root if step == "#" else root["$defs"][step], root, depth - 1)
    found = [near(one, root, depth - 1) for key in ("anyOf", "oneOf", "allOf") for one in schema.get(key, ())]
    if "properties" in schema or "additionalProperties" in schema:
        known = {name: near(one, root, depth - 1) for name, one in schema.get("properties", {}).items()}
        free = st.dictionaries(st.sampled_from(["x", "z"]), near(schema.get("additionalProperties"), root, depth - 1))
        for named in (st.fixed_dictionaries(known), st.fixed_dictionaries({}, optional=known)):
            found += [named, st.builds(lambda one, other: {**other, **one}, named, free)]
    if "items" in schema:
        found.append(st.lists(near(schema["items"], root, depth - 1), max_size=3))
    if "enum" in schema or "const" in schema:
        found.append(st.sampled_from([*schema.get("enum", ()), schema.get("const")]))
    types = schema.get("type", [])
    for name in [types] if isinstance(types, str) else types:
        if name in OF_TYPE:
            found.append(st.sampled_from(OF_TYPE[schema.get("format", name)]))
    return st.one_of(*found, *found, *found, VALUES) if found else VALUES


DOCUMENTS = SCHEMAS.flatmap(lambda schema: st.tuples(st.just(schema), near(schema, schema)))


def guarded(type_: spark.SparkType, path: list[str]) -> bool:
    """True where the value at ``path`` stands below something that not every variant declares."""
    for step in path:
        if isinstance(type_, spark.Struct):
            field = type_.by_name[step]
            if not field.certain:
                return True
            type_ = field.type
        elif isinstance(type_, spark.Map):
            if not type_.certain:
                return True
            type_ = type_.value
        elif isinstance(type_, spark.Array):
            type_ = type_.element
    return False


def check(schema: dict[str, Any], data: Any) -> None:
    assume(isinstance(data, dict))
    struct = spark.columns(schema)
    try:
        valid = jsonschema_rs.validator_for(reader_view(schema), validate_formats=True).is_valid(data)
    except Exception:  # a schema that no validator takes has no valid documents
        valid = False
    assume(valid)
    columns = Columns(struct)
    wanted = columns.misfit(data)
    found, problems = columns.typed([data])
    if wanted is None:
        assert problems == {}
        list(read_back.differences(struct, data, found.to_pylist()[0], ""))
        return
    assert [(one.code, one.pointer) for one in problems.values()] == [(wanted.code, wanted.pointer)]
    path = [step.replace("~1", "/").replace("~0", "~") for step in wanted.pointer.split("/")[1:]]
    assert wanted.code != "unstorable_type" or guarded(struct, path), (wanted, spark.ddl(struct))


FILTERED = [HealthCheck.filter_too_much, HealthCheck.too_slow]


@settings(max_examples=40, deadline=None, suppress_health_check=FILTERED)
@given(DOCUMENTS)
def test_every_valid_document_is_held_by_the_columns_or_named_as_unstorable(case: Any) -> None:
    check(*case)


@pytest.mark.long
@settings(max_examples=4_000, deadline=None, suppress_health_check=FILTERED)
@given(DOCUMENTS)
def test_every_valid_document_is_held_or_named_at_length(case: Any) -> None:
    check(*case)
