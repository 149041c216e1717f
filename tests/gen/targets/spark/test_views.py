"""The names of the columns of a view, and what is made of settings."""

from __future__ import annotations

from typing import Any

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.errors import UsageError
from babelreg.gen.targets.spark.view_columns import names
from babelreg.gen.targets.spark.view_expressions import ColumnTransform
from babelreg.gen.targets.spark.views import change_of
from babelreg.schema.annotations import Annotation, Others
from babelreg.schema.field_path import EACH
from babelreg.typemap.spark import Array, Json, Map, Scalar, Struct, StructField

TAKEN = ["urn", "lang", "data_json"]


@pytest.mark.parametrize(
    "paths, found",
    [
        pytest.param([("total", "minor")], ["total_minor"], id="nested"),
        pytest.param([("a.b",), ("c d",)], ["a_b", "c_d"], id="no signs in a name"),
        pytest.param([("lang",)], ["data_lang"], id="a name of the envelope"),
        pytest.param([("a", "b"), ("a_b",), ("c",)], ["data.a.b", "data.a_b", "c"], id="two that would be one"),
        pytest.param([("A", "b"), ("a_B",)], ["data.A.b", "data.a_B"], id="but for their case"),
        pytest.param([("lang",), ("data", "lang")], ["data.lang", "data_data_lang"], id="a longer name that is there"),
        pytest.param([("",), ("_",)], ["data.", "data._"], id="names of nothing"),
        pytest.param([("a" * 300,)], ["data." + "a" * 300], id="a long name"),
    ],
)
def test_what_a_column_is_called(paths: list[tuple[str, ...]], found: list[str]) -> None:
    assert names(paths, TAKEN) == found


_STEPS = st.sampled_from(["a", "b", "a_b", "lang", "data", "data_lang", "data_a_b", "A", "x y", "é", "", "a.b"])


def _apart(paths: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Without those that Spark takes for one: it tells no case apart."""
    return list({tuple(step.lower() for step in path): path for path in paths}.values())


_PATHS = st.lists(st.lists(_STEPS, min_size=1, max_size=3).map(tuple), max_size=6).map(_apart)


@settings(max_examples=fewer(120, 300))
@given(_PATHS, st.lists(_STEPS, min_size=1, max_size=3).map(tuple))
def test_a_name_never_comes_to_mean_something_else(paths: list[tuple[str, ...]], more: tuple[str, ...]) -> None:
    after = _apart([*paths, more])
    before = dict(zip(names(paths, TAKEN), paths, strict=True))
    now = dict(zip(names(after, TAKEN), after, strict=True))
    assert len({name.lower() for name in [*now, *TAKEN]}) == len(after) + len(TAKEN)
    for name, path in now.items():
        assert before.get(name, path) == path or path == more


PEOPLE = Array(Struct((StructField("name", Scalar.STRING), StructField("n", Scalar.BIGINT))))


@pytest.mark.parametrize(
    "change, type_, marks, shown",
    [
        pytest.param(ColumnTransform(), Scalar.STRING, [], "c", id="nothing is said"),
        pytest.param(ColumnTransform(), Scalar.STRING, [()], "CAST(NULL AS STRING)", id="text"),
        pytest.param(ColumnTransform(), PEOPLE, [()], "CAST(NULL AS ARRAY<STRUCT<name: STRING, n: BIGINT>>)", id="an array"),
        pytest.param(ColumnTransform(), PEOPLE, [(EACH, "n")], "transform(c, item0 -> if(item0 IS NULL, NULL, named_struct('name', item0.name, 'n', CAST(NULL AS BIGINT))))", id="in an array"),
        pytest.param(ColumnTransform(), PEOPLE, [(EACH, Others(frozenset({"name"})))], "transform(c, item0 -> if(item0 IS NULL, NULL, named_struct('name', item0.name, 'n', CAST(NULL AS BIGINT))))", id="all others"),
        pytest.param(ColumnTransform(), PEOPLE, [("name",)], "c", id="of an object where there is none"),
        pytest.param(ColumnTransform(), Map(Scalar.BIGINT), [("a",)], "transform_values(c, (key0, value0) -> CAST(NULL AS BIGINT))", id="a value of a map"),
        pytest.param(ColumnTransform(masks={"e": "hash"}), Map(Scalar.STRING), [()], "CAST(NULL AS MAP<STRING, STRING>)", id="a map"),
        pytest.param(ColumnTransform(), Json(), [("a", EACH)], "CAST(NULL AS STRING)", id="in JSON text"),
        pytest.param(ColumnTransform(variant=True), Json(), [], "parse_json(c)", id="JSON text as VARIANT"),
        pytest.param(ColumnTransform(variant=True), Array(Json()), [], "transform(c, item0 -> parse_json(item0))", id="in an array, too"),
        pytest.param(ColumnTransform(variant=True), Json(), [()], "CAST(NULL AS VARIANT)", id="JSON text, gone"),
        pytest.param(ColumnTransform(masks={"e": "hash"}), Scalar.STRING, [()], "sha2(concat(${babelreg.mask_key}, c), 256)", id="a digest"),
        pytest.param(ColumnTransform(masks={"e": "hash"}), Array(Scalar.STRING), [()], "transform(c, item0 -> sha2(concat(${babelreg.mask_key}, item0), 256))", id="digests"),
        pytest.param(ColumnTransform(masks={"e": "hash"}), Scalar.BIGINT, [()], "CAST(NULL AS BIGINT)", id="no digest of a number"),
        pytest.param(ColumnTransform(masks={"other": "hash"}), Scalar.STRING, [()], "CAST(NULL AS STRING)", id="another category"),
    ],
)  # fmt: skip
def test_what_a_column_shows(change: ColumnTransform, type_: Any, marks: list[Any], shown: str) -> None:
    assert change.expression(type_, "c", [Annotation(path, "e") for path in marks]) == shown


def test_one_mark_that_forbids_it_is_enough_against_a_digest() -> None:
    marks = [Annotation((), "e"), Annotation((), True)]
    assert ColumnTransform(masks={"e": "hash"}).expression(Scalar.STRING, "c", marks) == "CAST(NULL AS STRING)"


@pytest.mark.parametrize(
    "options", [{"variant": "yes"}, {"mask": ["email"]}, {"mask": {"email": "sha2"}}, {"mask": {"email": ["hash"]}}]
)
def test_settings_that_say_nothing_are_refused_with_a_way_out(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as refused:
        change_of(options)
    assert refused.value.fix


def test_null_is_written_as_yaml_writes_it() -> None:
    assert change_of({"mask": {"email": "hash", "name": None}}) == ColumnTransform(masks={"email": "hash"})
