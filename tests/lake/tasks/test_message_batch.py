"""Data of many tables typed together: what each gives alone, its problems included."""

from __future__ import annotations

from typing import Any

import orjson
import pyarrow as pa
import pytest

from babelreg.lake.arrow.joint_reader import joint_readers
from babelreg.lake.arrow.struct import Columns
from babelreg.lake.tasks.message_batch import TableTexts, typed, typed_tables
from babelreg.typemap import spark as typemap

SCHEMAS: list[dict[str, Any]] = [
    {"id": {"type": "integer"}, "at": {"type": "string", "format": "date-time"}},
    {"id": {"type": "integer"}, "lines": {"type": "array", "items": {"properties": {"sku": {"type": "string"}}}}},
    {"id": {"type": "string"}},
    {"id": {"type": "integer"}, "price": {"type": "number", "x-spark-type": "decimal(10,2)"}},
    {"id": {"type": "integer"}, "day": {"type": "string", "format": "date"}},
]
LEAP = "2016-12-31T23:59:60Z"


def _document(kind: int, row: int) -> dict[str, Any]:
    documents: list[dict[str, Any]] = [
        {"id": row, "at": "2026-01-01T00:00:00Z", "note": row},
        {"id": row, "lines": [{"sku": f"S{row}", "qty": 1}]},
        {"id": f"{row}"},
        {"id": row, "price": 1.25},
        {"id": row, "day": "2026-01-01"},
    ]
    return documents[kind]


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param({}, id="every document fits"),
        pytest.param({(0, 3): {"id": 1, "at": LEAP}}, id="a leap second"),
        pytest.param({(5, 0): {"id": 2**63}}, id="an integer that does not fit into 64 bits"),
        pytest.param({(5, 0): {"id": 2**63}, (6, 3): {"id": -(2**70)}, (0, 1): {"at": LEAP}}, id="several of them"),
        pytest.param({(1, 1): {"id": 1, "at": LEAP}}, id="a leap second that only another table has a column for"),
        pytest.param({(1, 1): {"id": 1, "day": {"x": 1}}}, id="an object that only another table has a column for"),
        pytest.param({(3, 0): {"price": 1.125}}, id="digits that a column lacks"),
    ],
)
@pytest.mark.parametrize("rows", [4, 400], ids=["few rows", "more rows than are typed together"])
def test_each_table_is_typed_as_it_is_alone(odd: dict[tuple[int, int], Any], rows: int) -> None:
    structs = [typemap.columns({"type": "object", "properties": SCHEMAS[number % 5]}) for number in range(20)]
    tables, unusual, first = [], {}, 0
    for number, struct in enumerate(structs):
        count = rows if number == 11 else 4
        documents = [odd.get((number, row), _document(number % 5, row)) for row in range(count)]
        texts = []
        for row, document in enumerate(documents):
            try:
                texts.append(orjson.dumps(document, option=orjson.OPT_SORT_KEYS))
            except TypeError:  # beyond 64 bits
                texts.append(b'{"id":%d}' % document["id"])
                unusual[first + row] = document
        tables.append(TableTexts(number, Columns(struct), pa.array(texts, pa.binary()), range(first, first + count)))
        first += count
    results = list(typed_tables(tables, joint_readers(structs), unusual))
    assert len(results) == len(tables)
    for table, (array, problems) in zip(tables, results, strict=True):
        alone, expected = typed(table.columns, table.texts, table.numbers, unusual)
        assert array.equals(alone)
        assert {index: str(problem) for index, problem in problems.items()} == {
            index: str(problem) for index, problem in expected.items()
        }
