"""Law of the SQL of upcasts: in Spark, it gives the rows that ``contract.upcast`` gives a consumer."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from babelreg.contract.upcast import UpcastError, compiled
from babelreg.typemap import spark as typemap
from babelreg.typemap.spark.upcast import translated

pytestmark = pytest.mark.spark

INTEGER, TEXT, NUMBER, FLAG = {"type": "integer"}, {"type": "string"}, {"type": "number"}, {"type": "boolean"}
DAY, INSTANT = {"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}
SMALL = {"type": "integer", "x-spark-type": "decimal(3,0)"}
WIDE = {"type": "integer", "maximum": 10**20 - 1}


def an_object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def an_array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def a_map(values: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


LINES = an_array(an_object(sku=TEXT, qty=TEXT, tags=an_array(an_object(k=TEXT))))
OLD = an_object(
    amount=INTEGER, state=TEXT, paid=FLAG, day=DAY, ratio=NUMBER, when=TEXT, many=WIDE, lines=LINES,
    ship=an_object(city=TEXT, code=INTEGER), grid=an_array(an_array(an_object(x=INTEGER))), counts=a_map(INTEGER),
    free={}, **{"a.b": TEXT, "select": INTEGER},
)  # fmt: skip
POOLS: dict[str, list[Any]] = {
    "integer": [0, 1, -1, 5, 999, 1000, 2**53 + 1, 2**63 - 1, -(2**63), 7.0],
    "string": ["", "p", "new", "12", "-0", "007", "1 ", "1\n", " 1", "1.0", "1e2", "9" * 19, "9" * 30, "9" * 45, "null",
               "2026-11-20", "2026-02-30", "2026-11-20T09:30:00Z", "2026-11-20t09:30:00.1234567+05:30", "it's", "é$\\{x",
               "2026-11-20T09:30:00Z\n", "2026-13-01T00:00:00Z", "2026-11-20 09:30:00", "true", "+5", "-", "2026-1-2"],
    "number": [0, 1, 1.5, -2.25, 1e-7, 1e300, 3.0],
    "boolean": [True, False],
}  # fmt: skip

RENAMED = an_object(total=an_object(minor=INTEGER), place=an_object(town=TEXT), **{"c.d": TEXT, "from": INTEGER})
CASES: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "nothing": ([], OLD),
    "rename": ([{"rename": {"amount": "total.minor", "ship.city": "place.town", "a\\.b": "c\\.d", "select": "from"}}], RENAMED),
    "rename into itself": ([{"rename": {"amount": "amount.minor"}}], an_object(amount=an_object(minor=INTEGER))),
    "rename up": ([{"rename": {"ship.city": "town", "lines": "ship.lines"}}], an_object(town=TEXT, ship=an_object(lines=LINES))),
    "rename onto another": ([{"rename": {"state": "when"}}], an_object(when=TEXT)),
    "rename of an object": ([{"rename": {"ship": "a.b"}}], an_object(a=an_object(b=an_object(city=TEXT, code=NUMBER)))),
    "rename in items": (
        [{"rename": {"lines[].sku": "lines[].article.sku", "lines[].tags[].k": "lines[].tags[].key"}}],
        an_object(lines=an_array(an_object(article=an_object(sku=TEXT), tags=an_array(an_object(key=TEXT))))),
    ),
    "rename of items": ([{"rename": {"lines": "rows"}}, {"drop": "rows[].sku"}], an_object(rows=LINES)),
    "set": (
        [{"set": {"state": "x", "ship.code": 7, "new.er": ["a", None], "lines[].n.m": 1.5, "grid[][].y": True}}],
        an_object(
            state=TEXT, ship=an_object(city=TEXT, code=INTEGER), new=an_object(er=an_array(TEXT)),
            lines=an_array(an_object(qty=TEXT, n=an_object(m=NUMBER))), grid=an_array(an_array(an_object(x=INTEGER, y=FLAG))),
        ),
    ),
    "set to every type": (
        [{"set": {"a": "2026-11-20", "b": "2026-11-20T09:30:00.5+01:00", "c": {"k": 1}, "d": 9.5, "e": None, "f": {}, "g": []}},
         {"set": {"h": "te\nxt ${env:HOME} \\ '", "i": -(2**63), "j": "free", "k": 1e-7}}],
        an_object(a=DAY, b=INSTANT, c=a_map(INTEGER), d={"type": "number", "x-spark-type": "decimal(5,2)"}, e=TEXT,
                  f=a_map(TEXT), g=an_array(INTEGER), h=TEXT, i=INTEGER, j={}, k=NUMBER),
    ),
    "default": (
        [{"default": {"state": "new", "ship.code": 1, "lines[].qty": "0", "amount": 3, "lines[].sku": "?", "day": "2000-01-01"}}],
        OLD,
    ),
    "default of an object, then a path into it": (
        [{"default": {"ship": {"city": "Ulm"}}}, {"rename": {"ship.city": "town"}}, {"default": {"ship.code": 4}}],
        an_object(ship=an_object(code=INTEGER), town=TEXT),
    ),
    "drop": ([{"drop": ["state", "ship.city", "lines[].qty", "free", "lines[].tags[].k", "nothing.here"]}], OLD),
    "cast": (
        [{"cast": {"amount": "integer->string", "many": "integer->string", "when": "string->integer", "select": "integer->number"}}],
        an_object(amount=TEXT, many=TEXT, when=INTEGER, select=NUMBER),
    ),
    "cast in items, to a wide integer": (
        [{"cast": {"lines[].qty": "string->integer"}}], an_object(lines=an_array(an_object(sku=TEXT, qty=WIDE)))
    ),
    "map": (
        [{"map": {"state": {"p": "paid", "new": "made", "12": "twelve"}, "amount": {"1": 11, "5": None, "x": 0}, "paid": {"true": False}}},
         {"map": {"ratio": {"1": 2, "1.5": 2.5}, "lines[].sku": {"p": "q"}, "ship": {"x": 1}}}],
        OLD,
    ),
    "map to another type": (
        [{"map": {"state": {"p": 1, "new": 2}, "paid": {"true": "yes", "false": "no"}, "amount": {"1": 1.5}}}],
        an_object(state=INTEGER, paid=TEXT, amount=NUMBER),
    ),
    "map of days": ([{"map": {"day": {"2026-11-20": "2000-01-01"}}}], an_object(day=DAY)),
    "cast, map and default of one value": (
        [{"cast": {"when": "string->integer"}}, {"map": {"when": {"12": 13}}}, {"default": {"when": 1}}, {"rename": {"when": "a.b"}}],
        an_object(a=an_object(b=INTEGER)),
    ),
    "types without operations": (
        [], an_object(when=INSTANT, day=TEXT, amount=NUMBER, state=DAY, select=SMALL, counts=a_map(NUMBER), free={})
    ),
    "several versions": (
        [{"rename": {"amount": "total.minor"}}, {"default": {"total.currency": "EUR", "state": "new"}}, {"map": {"state": {"p": "paid"}}},
         {"rename": {"total": "sum", "lines[].sku": "lines[].article"}}, {"cast": {"sum.minor": "integer->string"}},
         {"set": {"lines[].unit": "pcs"}}, {"rename": {"sum.minor": "price"}}, {"drop": "sum"}],
        an_object(price=TEXT, sum=an_object(currency=TEXT), state=TEXT, lines=an_array(an_object(article=TEXT, unit=TEXT))),
    ),
}  # fmt: skip


def values(schema: dict[str, Any], dice: random.Random) -> Any:
    """A value of ``schema``, no null: a column does not tell null from absent."""
    if "properties" in schema:
        return {name: values(inner, dice) for name, inner in schema["properties"].items() if dice.random() < 0.75}
    if "items" in schema:
        return [values(schema["items"], dice) for _ in range(dice.randrange(3))]
    if "additionalProperties" in schema:
        return {name: values(schema["additionalProperties"], dice) for name in dice.sample("abc", dice.randrange(3))}
    if "type" not in schema:
        return dice.choice([1, "x", [1, "é"], {"k": None}])
    if schema == DAY:
        return dice.choice(["2026-11-20", "0001-01-01", "9999-12-31"])
    return dice.randrange(10**20) if schema == WIDE else dice.choice(POOLS[schema["type"]])


def typed(struct: typemap.Struct, documents: list[Any]) -> Any:
    """The columns of ``documents``, null for None and for what no column holds."""
    import pyarrow as pa

    from babelreg.lake.arrow.struct import Columns

    known = [number for number, document in enumerate(documents) if document is not None]
    unchecked = typemap.Struct(tuple(replace(field, certain=False) for field in struct.fields))
    column, problems = Columns(unchecked).typed([documents[number] for number in known])
    storable = [number for index, number in enumerate(known) if index not in problems]
    rank = {number: index for index, number in enumerate(storable)}
    return column.take(pa.array([rank.get(number) for number in range(len(documents))], pa.int64()))


def upcast(operations: list[Any], documents: list[Any]) -> Iterator[Any]:
    apply = compiled(operations).apply
    for document in documents:
        try:
            yield apply(document)
        except UpcastError:
            yield None


def test_rows_are_those_of_the_contract(spark: Any) -> None:
    import pyarrow as pa

    dice = random.Random(14)
    documents = [{}, *(values(OLD, dice) for _ in range(200))]
    old = typemap.columns(OLD)
    columns = {"data": typed(old, documents)}
    assert columns["data"].null_count == 0
    expressions = []
    for name, (operations, schema) in CASES.items():
        new = typemap.columns(schema)
        columns[f"expected {name}"] = typed(new, list(upcast(operations, documents)))
        sql = translated(operations, old, new)
        expressions += [f"if(({sql.error}) IS NULL, {sql.data}, NULL) AS `{name}`", f"`expected {name}`"]
    own = spark.newSession()
    own.conf.set("spark.sql.codegen.wholeStage", "false")
    own.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    own.conf.set("spark.sql.variable.substitute", "false")
    own.conf.set("spark.sql.session.timeZone", "Asia/Kolkata")
    frame = own.createDataFrame(pa.table(columns)).selectExpr(*expressions)
    rows = [row.asDict(recursive=True) for row in frame.collect()]
    assert len(rows) == len(documents)
    for name in CASES:
        wrong = [
            (document, row[f"expected {name}"], row[name])
            for document, row in zip(documents, rows, strict=True)
            if row[name] != row[f"expected {name}"]
        ]
        assert not wrong, (name, wrong[0], len(wrong))
        assert any(row[name] for row in rows), name
    assert any(row["cast"] is None for row in rows)
    assert any(row["rename onto another"] is None for row in rows)
