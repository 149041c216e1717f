"""The SQL of upcast operations: each operation as text, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.contract.upcast import UpcastError
from babelreg.typemap import spark
from babelreg.typemap.spark.upcast import UntranslatableUpcast, translated

INTEGER, TEXT, NUMBER = {"type": "integer"}, {"type": "string"}, {"type": "number"}
DAY, INSTANT = {"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}
ANY: dict[str, Any] = {}


def an_object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def an_array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def sql(operations: list[Any], old: dict[str, Any], new: dict[str, Any]) -> Any:
    return translated(operations, spark.columns(an_object(**old)), spark.columns(an_object(**new)))


@pytest.mark.parametrize(
    "operations, old, new, expected",
    [
        pytest.param([], {"a": TEXT}, {"b": TEXT}, "'b', CAST(NULL AS STRING)", id="a column that is new"),
        pytest.param([{"rename": {"a": "b"}}], {"a": TEXT}, {"b": TEXT}, "'b', data.a", id="rename"),
        pytest.param(
            [{"rename": {"a": "b.c"}}],
            {"a": TEXT},
            {"b": an_object(c=TEXT)},
            "'b', if(data.a IS NOT NULL, named_struct('c', data.a), NULL)",
            id="rename makes parents where there is a value",
        ),
        pytest.param(
            [{"rename": {"a": "b"}}, {"rename": {"b": "c"}}], {"a": TEXT}, {"c": TEXT}, "'c', data.a", id="in order"
        ),
        pytest.param([{"set": {"a": 2}}], {"a": INTEGER}, {"a": INTEGER}, "'a', CAST('2' AS BIGINT)", id="set"),
        pytest.param(
            [{"set": {"a.b": "x"}}], {}, {"a": an_object(b=TEXT)}, "'a', named_struct('b', 'x')", id="parents"
        ),
        pytest.param(
            [{"default": {"a": "it's"}}],
            {"a": TEXT},
            {"a": TEXT},
            "'a', if(data.a IS NOT NULL, data.a, 'it\\'s')",
            id="default",
        ),
        pytest.param([{"drop": "a"}], {"a": TEXT}, {"a": INTEGER}, "'a', CAST(NULL AS BIGINT)", id="drop"),
        pytest.param(
            [{"cast": {"a": "integer->string"}}], {"a": INTEGER}, {"a": TEXT}, "'a', CAST(data.a AS STRING)", id="cast"
        ),
        pytest.param(
            [{"cast": {"a": "integer->number"}}],
            {"a": INTEGER},
            {"a": NUMBER},
            "'a', CAST(data.a AS DOUBLE)",
            id="number",
        ),
        pytest.param(
            [{"map": {"a": {"p": "paid"}}}],
            {"a": TEXT},
            {"a": TEXT},
            "'a', CASE data.a WHEN 'p' THEN 'paid' ELSE data.a END",
            id="map",
        ),
        pytest.param(
            [{"rename": {"l[].q": "l[].n"}}],
            {"l": an_array(an_object(q=INTEGER))},
            {"l": an_array(an_object(n=INTEGER))},
            "'l', transform(data.l, item0 -> if(item0 IS NOT NULL, named_struct('n', item0.q), NULL))",
            id="rename in every item",
        ),
        pytest.param(
            [{"rename": {"two words": "select"}}],
            {"two words": TEXT},
            {"select": TEXT},
            "'select', data.`two words`",
            id="names in backticks",
        ),
    ],
)
def test_an_operation_as_sql(operations: list[Any], old: Any, new: Any, expected: str) -> None:
    assert sql(operations, old, new).data == f"named_struct({expected})"


def test_steps_of_several_versions_are_one_expression() -> None:
    steps: list[Any] = [{"rename": {"amount": "total.minor"}}, {"default": {"total.currency": "EUR"}}]
    upcast = sql(steps, {"amount": INTEGER}, {"total": an_object(minor=INTEGER, currency=TEXT)})
    assert upcast.data == "named_struct('total', named_struct('minor', data.amount, 'currency', 'EUR'))"
    assert upcast.error == "CAST(NULL AS STRING)"


@pytest.mark.parametrize(
    "operations, old, new, condition, reason",
    [
        pytest.param(
            [{"rename": {"a": "b"}}],
            {"a": TEXT, "b": TEXT},
            {"b": TEXT},
            "(data.a IS NOT NULL AND data.b IS NOT NULL)",
            "upcast_failed: upcast 1 (rename): 'b' already exists, so 'a' cannot be renamed to it",
            id="a target that exists",
        ),
        pytest.param(
            [{"set": {"l[].k": 1}}],
            {"l": an_array(an_object(k=INTEGER))},
            {},
            "coalesce(exists(data.l, item0 -> NOT (item0 IS NOT NULL)), FALSE)",
            "upcast_failed: upcast 1 (set): l[] is not an object",
            id="a null item",
        ),
        pytest.param(
            [{"map": {"a": {"p": 1}}}],
            {"a": TEXT},
            {"a": INTEGER},
            "(data.a IS NOT NULL AND data.a NOT IN ('p'))",
            "upcast_failed: upcast 1 (map): a has an unlisted value of a different type than the listed ones",
            id="a value that keeps its type",
        ),
    ],
)
def test_rows_that_fail(operations: Any, old: Any, new: Any, condition: str, reason: str) -> None:
    assert [(each.condition, each.why) for each in sql(operations, old, new).failures] == [(condition, reason)]


@pytest.mark.parametrize(
    "operations, old, new, says",
    [
        pytest.param([], {"a": INTEGER}, {"a": TEXT}, "a is BIGINT before and STRING after it", id="no cast"),
        pytest.param([], {"a": INSTANT}, {"a": TEXT}, "a is TIMESTAMP before", id="the text of an instant"),
        pytest.param([], {"a": ANY}, {"a": TEXT}, "a is JSON text before", id="text out of JSON text"),
        pytest.param(
            [{"cast": {"a": "integer->string"}}],
            {"a": ANY},
            {"a": TEXT},
            r"upcast 1 \(cast\): a is not a column",
            id="cast",
        ),
        pytest.param(
            [{"rename": {"a.b": "c"}}], {"a": ANY}, {"c": TEXT}, "a is a column of JSON text", id="inside JSON"
        ),
        pytest.param(
            [{"rename": {"a.b": "c"}}], {"a": TEXT}, {"c": TEXT}, "a is STRING, not a struct", id="inside text"
        ),
        pytest.param(
            [{"map": {"a": {"null": "x"}}}], {"a": TEXT}, {"a": TEXT}, "does not distinguish null", id="map of null"
        ),
        pytest.param(
            [{"map": {"a": {"x": "y"}}}], {"a": INSTANT}, {"a": TEXT}, "not in the column", id="map of instants"
        ),
        pytest.param([{"map": {"a": {"x": 1, "y": "z"}}}], {"a": DAY}, {"a": TEXT}, "several types", id="mixed table"),
        pytest.param(
            [{"default": {"a": "x"}}], {"a": INTEGER}, {"a": INTEGER}, "is set to a value", id="wrong default"
        ),
        pytest.param(
            [{"rename": {"m.k": "a"}}],
            {"m": {"type": "object", "additionalProperties": TEXT}},
            {"a": TEXT},
            "m is a map",
            id="a key of a map",
        ),
        pytest.param(
            [{"map": {"a": {"1": "2"}}}] * 60, {"a": TEXT}, {"a": TEXT}, "too long", id="SQL that doubles each time"
        ),
    ],
)
def test_what_sql_cannot_say_is_refused_by_name(operations: Any, old: Any, new: Any, says: str) -> None:
    with pytest.raises(UntranslatableUpcast, match=says):
        sql(operations, old, new)


def test_invalid_operations_are_those_of_the_contract() -> None:
    with pytest.raises(UpcastError, match="there is no operation 'move'"):
        sql([{"move": {"a": "b"}}], {}, {})
