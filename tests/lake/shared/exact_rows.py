"""Messages with numbers that readers of JSON like to round, and the rows that tables must have of them."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

URN = "urn:babel:money:counted"
SCHEMA = {
    "type": "object",
    "properties": {
        "whole": {"type": "integer"},
        "double": {"type": "number"},
        "money": {"type": "number", "x-spark-type": "decimal(38,10)"},
        "any": {},
    },
}
NUMBERS: tuple[tuple[str, str, Any], ...] = (
    ("money", "12345678901234567.89", Decimal("12345678901234567.89")),
    ("money", "12345678901234567890123456.1234567891", Decimal("12345678901234567890123456.1234567891")),
    ("money", "0.3", Decimal("0.3")),
    ("money", "0.30000000000000004", "unstorable_decimal"),
    ("money", "1e-400", "unstorable_decimal"),
    ("whole", "9007199254740993.0", 9007199254740993),
    ("whole", "9223372036854775807", 9223372036854775807),
    ("whole", "9223372036854775808", "unstorable_integer"),
    ("whole", "123456789012345678.9", "not_an_integer"),
    ("whole", "1e-400", "not_an_integer"),
    ("double", "0.30000000000000004", 0.30000000000000004),
    ("double", "12345678901234567.89", 12345678901234568.0),
    ("double", "-0.0", 0.0),
    ("double", "1e-400", 0.0),
    ("any", "12345678901234567.89", "12345678901234567.89"),
    ("any", "0.1000000000000000055", "0.1000000000000000055"),
)
"""Column, text, and the value that is stored or, for text with an underscore, the reason of the refusal."""


def bodies() -> list[bytes]:
    """Return the messages. The id of each is its index in ``NUMBERS``."""
    return [
        f'{{"job":"{URN}","trace_id":"t","data":{{"{column}":{text}}},"meta":{{"id":"{number}","queue":"q","lang":"php",'
        f'"schema_version":1,"created_at":1780000000000}},"attempts":0}}'.encode()
        for number, (column, text, _) in enumerate(NUMBERS)
    ]


def check(stored: Iterable[Mapping[str, Any]], refused: Iterable[Mapping[str, Any]]) -> None:
    """Compare rows of the table, with ``data`` and ``data_json``, and of the quarantine; both have ``message_id``."""
    rows = {int(row["message_id"]): row for row in stored}
    reasons = {int(row["message_id"]): row["reason"] for row in refused}
    expected = {number: value for number, (*_, value) in enumerate(NUMBERS) if "_" in str(value)}
    assert reasons == expected
    assert rows.keys() == set(range(len(NUMBERS))) - expected.keys()
    for number, row in rows.items():
        column, text, value = NUMBERS[number]
        data = row["data"] if isinstance(row["data"], Mapping) else row["data"].asDict()
        found = data[column]
        if isinstance(value, float):
            assert struct.pack("d", found) == struct.pack("d", value), (column, text)
        else:
            assert found == value, (column, text)
        assert {name for name, member in data.items() if member is not None} == {column}
        assert json.loads(row["data_json"], parse_float=Decimal)[column] == Decimal(text), (column, text)
