"""The Arrow pass without Spark: what becomes of one message, and of a chunk of input."""

from __future__ import annotations

import copy
import json
import random
from decimal import Decimal
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hang import limited
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.lake.arrow.canonical_json import canonical
from babelreg.lake.arrow.table_schema import REFUSED_SCHEMA
from babelreg.lake.message_source import MessageChunk
from babelreg.lake.storage import id_run
from babelreg.lake.tasks.batch_ids import IdDigests
from babelreg.lake.tasks.row_validator import RefusedRow, RowValidator, ValidRow, refused_batch
from babelreg.lake.tasks.staged_segments import REFUSED, StagingReader
from babelreg.lake.tasks.staging_writer import TaskWriter
from babelreg.lake.tasks.validation_spec import ValidationSpec

URN = "urn:babel:orders:created"
SCHEMA = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "integer"},
        "price": {"type": "number"},
        "at": {"type": "string", "format": "date-time"},
        "day": {"type": "string", "format": "date"},
        "note": {"type": "string"},
        "free": {},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"qty": {"type": "integer"}}}},
    },
}


@pytest.fixture(scope="module")
def validator() -> RowValidator:
    spec = ValidationSpec.of({URN: SCHEMA})
    return RowValidator(spec.schemas, spec.columns)


def _envelope(data: Any, **members: Any) -> dict[str, Any]:
    meta = {"id": "m-1", "queue": "orders", "lang": "go", "schema_version": 1, "created_at": 1_780_000_000_123}
    return {"job": URN, "trace_id": "t-1", "data": data, "meta": meta, "attempts": 2, **members}


def _body(data: Any, **members: Any) -> bytes:
    return json.dumps(_envelope(data, **members)).encode()


BAD = {
    "cut off": ("invalid_json", ""),
    "trailing bytes": ("invalid_json", ""),
    "invalid UTF-8": ("invalid_utf8", ""),
    "byte order mark": ("invalid_json", ""),
    "not a number": ("invalid_json", ""),
    "a list": ("root_not_an_object", ""),
    "lone surrogate": ("not_checkable", "/data"),
    "no job": ("missing_urn", "/job"),
    "unknown URN": ("unknown_urn", "/job"),
    "no meta": ("missing_meta", "/meta"),
    "schema version 2": ("unsupported_schema_version", "/meta/schema_version"),
    "data is a list": ("wrong_member_type", "/data"),
    "blank trace id": ("missing_trace_id", "/trace_id"),
    "attempts is text": ("not_an_int64", "/attempts"),
    "a required property is missing": ("missing_required", "/data"),
    "text for an integer": ("not_an_integer", "/data/order_id"),
    "below the minimum": ("below_minimum", "/data/order_id"),
    "not in the enum": ("not_in_enum", "/data/status"),
    "does not match the pattern": ("wrong_pattern", "/data/code"),
    "an integer that does not fit into 64 bits": ("unstorable_integer", "/data/order_id"),
}


@pytest.mark.parametrize(("way", "found"), [pytest.param(way, found, id=way) for way, found in BAD.items()])
def test_every_kind_of_bad_message_has_its_reason_and_keeps_its_bytes(
    way: str, found: tuple[str, str], messages: ModuleType
) -> None:
    spec = ValidationSpec.of({messages.urn(n): messages.schema(n) for n in range(messages.URNS)})
    body = messages.BAD[way](messages.good(3, random.Random(7)))
    row = RowValidator(spec.schemas, spec.columns).validate(body, 40)
    assert isinstance(row, RefusedRow)
    assert ((row.reason, row.pointer), row.body, row.source_offset) == (found, body, 40)


def test_a_message_that_cannot_be_checked_in_bounded_time_is_refused() -> None:
    n = {"properties": {"m": {"oneOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}}}
    spec = ValidationSpec.of(
        {URN: {"type": "object", "properties": {"tree": {"$ref": "#/$defs/n"}}, "$defs": {"n": n}}}
    )
    deep: dict[str, Any] = {}
    for _ in range(24):
        deep = {"m": deep}
    with limited(20):
        row = RowValidator(spec.schemas, spec.columns).validate(_body({"tree": deep}), 7)
    assert isinstance(row, RefusedRow)
    assert (row.reason, row.pointer, row.source_offset) == ("too_complex", "/data", 7)


def test_the_table_above_knows_every_way(messages: ModuleType) -> None:
    assert (list(BAD), len(BAD)) == (list(messages.BAD), 20)


def test_a_good_message_becomes_a_row(validator: RowValidator) -> None:
    body = _body({"price": 1.5, "id": 7})
    row = validator.validate(body, 11, "a.jsonl")
    assert isinstance(row, ValidRow)
    assert row == ValidRow(
        0,
        11,
        body,
        "m-1",
        "t-1",
        "go",
        "orders",
        1_780_000_000_123,
        2,
        b'{"id":7,"price":1.5}',
        {"price": 1.5, "id": 7},
    )


@pytest.mark.parametrize(
    ("data", "reason", "pointer"),
    [
        pytest.param({"id": 2**63}, "unstorable_integer", "/data/id", id="an integer that does not fit into 64 bits"),
        pytest.param({"id": 1, "lines": [{"qty": 1}, {"qty": -(2**63) - 1}]}, "unstorable_integer",
                     "/data/lines/1/qty", id="deep inside"),
        pytest.param({"id": 1, "counts": {"a/b": 2**70}}, "unstorable_integer", "/data/counts/a~1b", id="in a map"),
        pytest.param({"id": 1, "at": "2026-06-30T23:59:60Z"}, "unstorable_timestamp", "/data/at", id="a leap second"),
        pytest.param({"id": 1, "free": ["\ud800"]}, "unstorable_string", "/data", id="an unpaired surrogate"),
        pytest.param({"id": 1, "free": [1e300] * 100_001}, "unstorable_size", "/data", id="digits without end"),
        pytest.param({"id": 1, "free": [10**30, *[1e300] * 100_001]}, "unstorable_size", "/data", id="and one more"),
    ],
)  # fmt: skip
def test_a_valid_message_that_no_column_can_hold(data: Any, reason: str, pointer: str, validator: RowValidator) -> None:
    row = validator.validate(_body(data))
    assert isinstance(row, RefusedRow)
    assert (row.reason, row.pointer) == (reason, pointer)


@pytest.mark.parametrize(
    ("members", "reason", "pointer"),
    [
        pytest.param({"trace_id": "\ud800"}, "unstorable_string", "/trace_id", id="an unpaired surrogate as trace id"),
        pytest.param({"meta": {"id": "\udfff"}}, "unstorable_string", "/meta/id", id="an unpaired surrogate as id"),
        pytest.param({"meta": {"created_at": 2**62}}, "unstorable_timestamp", "/meta/created_at", id="far future"),
        pytest.param({"meta": {"created_at": -(2**62)}}, "unstorable_timestamp", "/meta/created_at", id="far past"),
    ],
)
def test_an_envelope_that_no_column_can_hold(
    members: dict[str, Any], reason: str, pointer: str, validator: RowValidator
) -> None:
    envelope = _envelope({"id": 1})
    envelope["meta"].update(members.pop("meta", {}))
    row = validator.validate(json.dumps({**envelope, **members}).encode())
    assert isinstance(row, RefusedRow)
    assert (row.reason, row.pointer) == (reason, pointer)


@pytest.mark.parametrize(
    ("data", "stored", "typed"),
    [
        pytest.param({"id": 1.0}, b'{"id":1}', {"id": 1}, id="a whole number written as a fraction"),
        pytest.param({"id": 1, "price": 1e22}, b'{"id":1,"price":10000000000000000000000}', {"id": 1, "price": 1e22},
                     id="a large double"),
        pytest.param({"id": 1, "new": "x"}, b'{"id":1,"new":"x"}', {"id": 1}, id="an undeclared property is kept"),
        pytest.param({"id": 1, "free": {"b": 1, "a": None}}, b'{"free":{"a":null,"b":1},"id":1}',
                     {"id": 1, "free": '{"a":null,"b":1}'}, id="a free-form value is text in its column"),
        pytest.param({"id": 1, "free": 10**30}, b'{"free":1' + b"0" * 30 + b',"id":1}',
                     {"id": 1, "free": "1" + "0" * 30}, id="no digit is lost"),
        pytest.param({"id": 1, "counts": {"n" * 60_000: 1}}, b'{"counts":{"' + b"n" * 60_000 + b'":1},"id":1}',
                     {"id": 1, "counts": [("n" * 60_000, 1)]}, id="a very long name"),
    ],
)  # fmt: skip
def test_what_is_stored_and_what_is_typed(data: Any, stored: bytes, typed: Any, tmp_path: Path) -> None:
    (found,) = _landed([_body(data)], tmp_path)[0]
    present = {name: value for name, value in found["data"].items() if value is not None}
    assert (found["data_json"].encode(), present) == (stored, typed)


def _landed(bodies: list[bytes], folder: Path) -> dict[int, list[dict[str, Any]]]:
    """The rows by table_id, as the landing has them; the offset of each is its number."""
    spec = ValidationSpec.of({URN: SCHEMA})
    with TaskWriter(spec, folder) as writer:
        writer.add(MessageChunk("00000001/a.jsonl", bodies, list(range(len(bodies)))))
    found: dict[int, list[dict[str, Any]]] = {}
    for table_id, segment in writer.segments:
        schema = REFUSED_SCHEMA if table_id == REFUSED else spec.row_validator().table(table_id).schema
        rows = [row for batch in StagingReader().batches([segment], schema) for row in batch.to_pylist()]
        assert (segment.rows, segment.offset) == (len(rows), rows[0]["source_offset"])
        found.setdefault(table_id, []).extend(rows)
    return found


def test_deep_nesting_is_kept(validator: RowValidator) -> None:
    deep = b"[" * 900 + b"]" * 900
    row = validator.validate(_body({"id": 1, "undeclared": "HERE"}).replace(b'"HERE"', deep))
    assert isinstance(row, ValidRow)
    assert deep in row.written


def _content(validator: RowValidator, body: bytes) -> bytes:
    row = validator.validate(body)
    assert isinstance(row, ValidRow)
    _, contents = IdDigests(validator.urns).of([row.message_id], [row.name_id], [row.written])
    return bytes(contents[0].as_py())


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(_body({"id": 1}), _body({"id": 1}, attempts=9), True, id="attempts do not count"),
        pytest.param(_body({"id": 1}), _body({"id": 1}, dead_letter={"reason": "failed"}), True, id="nor dead_letter"),
        pytest.param(_body({"id": 1}), _body({"id": 1}, trace_id="other"), True, id="nor the trace id"),
        pytest.param(_body({"id": 1, "price": 2.0}), _body({"price": 2, "id": 1}), True, id="nor the spelling"),
        pytest.param(_body({"id": 1}), _body({"id": 2}), False, id="data counts"),
        pytest.param(_body({"id": 1}), _body({"id": 1, "new": 0}), False, id="undeclared properties count"),
        pytest.param(_body({"id": 1, "free": 0}), _body({"id": 1, "free": False}), False, id="false is not 0"),
    ],
)
def test_which_messages_are_the_same(one: bytes, other: bytes, same: bool, validator: RowValidator) -> None:
    assert (_content(validator, one) == _content(validator, other)) is same


def test_digests_are_those_that_lakes_have() -> None:
    """Ids of earlier batches are compared with them, so that no release may make others."""
    keys, contents = IdDigests([URN, URN]).of(["m-1", None, ""], [0, 1, 0], [b'{"id":7}', b'{"id":7}', b"{}"])
    content = blake2b(URN.encode() + b'\0{"id":7}', digest_size=16).digest()
    empty = blake2b(URN.encode() + b"\0{}", digest_size=16).digest()
    assert keys.to_pylist() == [id_run.key("m-1"), None, id_run.key("")]
    assert contents.to_pylist() == [content, content, empty]


def test_messages_are_typed_together_and_what_cannot_be_stored_is_told(tmp_path: Path) -> None:
    datas = [{"id": n} if n % 700 else {"id": 2**63 + n} for n in range(1, 2_000)]
    strange = _envelope({"id": 4})
    strange["meta"]["created_at"] = 2**62
    bodies = [*map(_body, datas), json.dumps(strange).encode(), b"\xff", _body({"id": 5, "free": 10**30})]
    found = _landed(bodies, tmp_path)
    assert [(row["source_offset"], row["data"]["id"]) for row in found[0]] == [
        *((n - 1, n) for n in range(1, 2_000) if n % 700),
        (2_001, 5),
    ]
    assert found[0][-1]["data"]["free"] == "1" + "0" * 30
    assert [(row["source_offset"], row["reason"], row["pointer"], row["body"]) for row in found[REFUSED]] == [
        (699, "unstorable_integer", "/data/id", bodies[699]),
        (1_399, "unstorable_integer", "/data/id", bodies[1_399]),
        (1_999, "unstorable_timestamp", "/meta/created_at", bodies[1_999]),
        (2_000, "invalid_utf8", "", b"\xff"),
    ]


def test_text_of_a_refused_message_is_fit_for_a_column(validator: RowValidator) -> None:
    body = _body({"id": "x"}, trace_id="\ud800")
    row = validator.validate(body)
    assert isinstance(row, RefusedRow)
    rows = refused_batch([row]).to_pylist()
    assert [(row["trace_id"], row["reason"], row["body"]) for row in rows] == [("?", "not_an_integer", body)]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


def _shuffled(value: Any) -> Any:
    """The same JSON value with its names in another order and its whole numbers as fractions where that is exact."""
    if isinstance(value, dict):
        return {name: _shuffled(value[name]) for name in reversed(list(value))}
    if isinstance(value, list):
        return [_shuffled(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53:
        return float(value)
    return value


@settings(max_examples=150, deadline=None)
@given(value=JSON)
def test_the_canonical_text_is_the_value_and_does_not_depend_on_its_spelling(value: Any) -> None:
    data = {"value": value}
    before = copy.deepcopy(data)
    written = canonical(data)
    exact = json.loads(json.dumps(data), parse_float=Decimal)
    assert (json.loads(written, parse_float=Decimal), data) == (exact, before)
    assert canonical(_shuffled(data)) == written
