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
from babelreg.spark.columns import Columns
from babelreg.typemap import spark

sys.path.insert(0, str(Path(__file__).parent / "shared"))
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
        {},
        optional={
            "type": st.just("object"),
            "properties": st.dictionaries(st.sampled_from(NAMES), below, max_size=3),
            "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
            "additionalProperties": st.one_of(st.booleans(), below),
            "patternProperties": st.dictionaries(st.just("^z"), below, max_size=1),
        },
    )


def several(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    few = st.lists(below, min_size=1, max_size=3)
    return st.one_of(
        objects(below),
        st.builds(lambda key, branches: {key: branches}, st.sampled_from(["anyOf", "oneOf", "allOf"]), few),
        st.builds(lambda one, branches: {**one, "anyOf": branches}, objects(below), few),
        st.builds(lambda one, then: {**one, "if": {"required": ["a"]}, "then": then}, objects(below), objects(below)),
        st.builds(lambda items: {"type": "array", "items": items}, below),
        st.builds(lambda one, rest: {"type": "array", "prefixItems": [one], "items": rest}, below, below),
    )


INNER = st.recursive(st.sampled_from(SCALARS), several, max_leaves=6)
SCHEMAS = st.builds(
    lambda root, one, two: {**root, "$defs": {"one": one, "two": two}},
    several(INNER),
    INNER,
    INNER,
)
VALUES = st.recursive(
    st.sampled_from(
        [
            None,
            True,
            0,
            1.0,
            2**63,
            0.5,
            1e30,
            "a",
            "k",
            "",
            "2026-11-20t10:00:00.1234567Z",
            "2016-12-31T23:59:60Z",
            "2026-11-20",
        ]
    ),
    lambda below: st.one_of(
        st.lists(below, max_size=2), st.dictionaries(st.sampled_from([*NAMES, "z", "zz"]), below, max_size=4)
    ),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(st.sampled_from([*NAMES, "z"]), VALUES, max_size=4)


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
    struct = spark.columns(schema)
    try:
        valid = jsonschema_rs.validator_for(reader_view(schema), validate_formats=True).is_valid(data)
    except Exception:  # a schema that no validator takes has no valid documents
        valid = False
    assume(valid)
    wanted = told(struct, data)
    found, problems = Columns(struct).typed([data])
    assert [(one.code, one.pointer) for one in problems.values()] == ([] if wanted is None else [wanted])
    if wanted is None:
        list(read_back.differences(struct, data, found.to_pylist()[0], ""))
        return
    code, pointer = wanted
    path = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    assert code != "unstorable_type" or guarded(struct, path), (wanted, spark.ddl(struct))


def told(struct: spark.Struct, data: Any) -> tuple[str, str] | None:
    """What ``typemap`` says of a document by itself."""
    try:
        spark.fitter(struct)(data)
    except spark.Unstorable as problem:
        return problem.code, problem.pointer
    return None


FILTERED = [HealthCheck.filter_too_much, HealthCheck.too_slow]


@settings(max_examples=150, deadline=None, suppress_health_check=FILTERED)
@given(SCHEMAS, DOCUMENTS)
def test_every_valid_document_is_held_by_the_columns_or_named_as_unstorable(schema: dict[str, Any], data: Any) -> None:
    check(schema, data)


@pytest.mark.long
@settings(max_examples=20_000, deadline=None, suppress_health_check=FILTERED)
@given(SCHEMAS, DOCUMENTS)
def test_every_valid_document_is_held_or_named_at_length(schema: dict[str, Any], data: Any) -> None:
    check(schema, data)
