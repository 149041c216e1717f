"""What no table can hold, told of one message without Spark."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import babelreg
from babelreg.contract import Envelope
from babelreg.contract.parse import MAX_DEPTH
from babelreg.typemap.spark.storable import Storable, detail
from babelreg.typemap.spark.values import UNSTORABLE

PACKAGE = Path(babelreg.__file__).parent
URN = "urn:babel:orders:created"
SCHEMA = {
    "properties": {
        "id": {"type": "integer"},
        "at": {"type": "string", "format": "date-time"},
        "lines": {
            "type": "array",
            "items": {"type": "object", "properties": {"price": {"type": "number", "x-spark-type": "decimal(7,2)"}}},
        },
        "free": {},
    }
}


@pytest.fixture
def storable() -> Storable:
    return Storable({URN: SCHEMA})


def _nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


@pytest.mark.parametrize(
    "data, found",
    [
        pytest.param({}, None, id="nothing"),
        pytest.param({"id": 1.0, "at": "2026-06-30t23:59:59z", "new": [10**30]}, None, id="what is stored as it was sent"),
        pytest.param({"free": _nested(1_000)}, None, id="nesting as deep as a message may be"),
        pytest.param({"id": 2**63}, ("unstorable_integer", "/id"), id="an integer that does not fit into 64 bits"),
        pytest.param({"at": "2026-06-30T23:59:60Z"}, ("unstorable_timestamp", "/at"), id="a leap second"),
        pytest.param({"lines": [{}, {"price": 1.005}]}, ("unstorable_decimal", "/lines/1/price"), id="deep inside"),
        pytest.param({"new": {"a": "\ud800"}}, ("unstorable_string", ""), id="an unpaired surrogate, undeclared"),
        pytest.param({"\udfff": 1}, ("unstorable_string", ""), id="half of one in a name"),
        pytest.param({"id": 2**63, "new": "\ud800"}, ("unstorable_string", ""), id="text before columns"),
    ],
)  # fmt: skip
def test_data(data: dict[str, Any], found: tuple[str, str] | None, storable: Storable) -> None:
    told = storable.data(URN, data)
    assert (told and (told.code, told.pointer)) == found
    told = storable.message(Envelope(URN, {"job": URN, "data": data, "meta": {}, "trace_id": "t"}))
    assert (told and (told.code, told.pointer)) == (found and (found[0], f"/data{found[1]}"))


@pytest.mark.parametrize(
    "members, found",
    [
        pytest.param({"trace_id": "ü\U0001f600"}, None, id="any text"),
        pytest.param({"trace_id": "\ud800"}, ("unstorable_string", "/trace_id"), id="half a pair as trace id"),
        pytest.param({"meta": {"id": "\ud800"}}, ("unstorable_string", "/meta/id"), id="as id"),
        pytest.param({"meta": {"lang": "\ud800"}}, ("unstorable_string", "/meta/lang"), id="as language"),
        pytest.param({"meta": {"queue": "\ud800"}}, ("unstorable_string", "/meta/queue"), id="as queue"),
        pytest.param({"meta": {"created_at": 253_402_300_799_999}}, None, id="the last millisecond"),
        pytest.param(
            {"meta": {"created_at": 253_402_300_800_000}},
            ("unstorable_timestamp", "/meta/created_at"),
            id="the next one",
        ),
        pytest.param({"meta": {"created_at": -62_135_596_800_000}}, None, id="the first millisecond"),
        pytest.param(
            {"meta": {"created_at": -62_135_596_800_001}},
            ("unstorable_timestamp", "/meta/created_at"),
            id="the one before",
        ),
    ],
)
def test_the_columns_of_the_envelope(
    members: dict[str, Any], found: tuple[str, str] | None, storable: Storable
) -> None:
    told = storable.message(Envelope(URN, {"job": URN, "data": {}, "meta": {}, "trace_id": "t", **members}))
    assert (told and (told.code, told.pointer)) == found


def test_nesting_beyond_what_any_message_has_is_told(storable: Storable) -> None:
    told = storable.data(URN, {"new": [10**30, _nested(16 * MAX_DEPTH)]})
    assert told is not None
    assert (told.code, detail(told.code)) == (
        "unstorable_depth",
        "the message is valid, but its table cannot store this depth",
    )


def test_every_reason_in_the_code_is_declared_with_what_it_means() -> None:
    code = "".join(path.read_text() for path in PACKAGE.rglob("*.py"))
    assert set(re.findall(r'"(unstorable_[a-z]+)"', code)) == UNSTORABLE.keys()
