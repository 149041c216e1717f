"""Streams fall apart into messages, soundly, and envelopes survive the way out and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.contract import Envelope
from babelreg.contract.parse import MAX_BYTES
from babelreg.errors import UsageError
from babelreg.wire import formats
from babelreg.wire.format import WireError, frames
from babelreg.wire.formats import babelqueue


def split(raw: bytes) -> list[tuple[int, bytes]]:
    return [(frame.line, frame.raw.strip()) for frame in frames(babelqueue.decoder(), [raw])]


@pytest.mark.parametrize(
    "raw, found",
    [
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"\n \n\t\n", [], id="blank lines"),
        pytest.param(b'{"a":1}\n{"b":2}\n', [(1, b'{"a":1}'), (2, b'{"b":2}')], id="JSON lines"),
        pytest.param(b'{"a":1}\r\n\r\n{"b":2}', [(1, b'{"a":1}'), (3, b'{"b":2}')], id="blank lines between, no end"),
        pytest.param(b'{\n "a": 1\n}\n', [(1, b'{\n "a": 1\n}')], id="one printed over several lines"),
        pytest.param(b'{\n "a": {}\n}\n{\n "b": [\n ]\n}\n', [(1, b'{\n "a": {}\n}'), (4, b'{\n "b": [\n ]\n}')],
                     id="several printed over several lines"),
        pytest.param(b'{ "a": "}",\n "b": 1 }\n{"c":1}', [(1, b'{ "a": "}",\n "b": 1 }'), (3, b'{"c":1}')],
                     id="brackets in strings"),
        pytest.param(b'{ "a": "\\"}",\n "b": 1 }\n', [(1, b'{ "a": "\\"}",\n "b": 1 }')], id="escaped quotes"),
        pytest.param(b'{"a":\n{"b":1}\n', [(1, b'{"a":'), (2, b'{"b":1}')], id="a truncated line costs only itself"),
        pytest.param(b'{"a":"x\n{"b":1}\n', [(1, b'{"a":"x'), (2, b'{"b":1}')], id="a truncated string too"),
        pytest.param(b'nonsense\n{"b":1}\n', [(1, b"nonsense"), (2, b'{"b":1}')], id="nonsense costs only itself"),
        pytest.param(b'{"a":1}{"b":2}\n', [(1, b'{"a":1}{"b":2}')], id="two on one line are one bad message"),
        pytest.param(b']]]\n{"b":1}\n', [(1, b"]]]"), (2, b'{"b":1}')], id="brackets that close nothing"),
        pytest.param(b'[1,\n2]\n{"b":1}', [(1, b"[1,\n2]"), (3, b'{"b":1}')], id="an array over two lines"),
        pytest.param(b'\xff\xfe\n{"b":1}', [(1, b"\xff\xfe"), (2, b'{"b":1}')], id="bytes that are no text"),
    ],
)  # fmt: skip
def test_split(raw: bytes, found: list[tuple[int, bytes]]) -> None:
    assert split(raw) == found
    by_byte = [raw[at : at + 1] for at in range(len(raw))]
    assert [(frame.line, frame.raw.strip()) for frame in frames(babelqueue.decoder(), by_byte)] == found


def blocks(raw: bytes) -> list[bytes]:
    return [raw[start : start + 60_000] for start in range(0, len(raw), 60_000)]


def test_a_line_without_end_is_cut_at_the_bound_and_costs_no_other() -> None:
    raw = b'{"a":"' + b"x" * (3 * MAX_BYTES) + b'"}\n{"b":1}\n'
    found = list(frames(babelqueue.decoder(), blocks(raw)))
    assert [frame.line for frame in found] == [1, 2]
    assert len(found[0].raw) <= MAX_BYTES + 2
    assert isinstance(found[0], WireError)
    assert found[0].code == "too_large"


def test_many_lines_without_an_end_stay_in_bounds() -> None:
    line = b' "' + b"x" * 1_000_000 + b'",\n'
    found = list(frames(babelqueue.decoder(), blocks(b"{\n" + line * 40 + b'}\n{"b":1}\n')))
    assert [frame.line for frame in found] == [1, 43]
    assert len(found[0].raw) < MAX_BYTES + 3_000_000


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.sampled_from("abc"), below, max_size=3),
    max_leaves=6,
)  # fmt: skip
DOCUMENTS = st.builds(
    lambda data, extra, meta: {
        "job": "urn:babel:orders:created", "trace_id": " t ", "data": data, **{f"x{k}": v for k, v in extra.items()},
        "meta": {"lang": "cobol", "id": "i", "queue": "q", "schema_version": 1, "created_at": 1, **meta}, "attempts": 3,
    },
    st.dictionaries(st.sampled_from("abc"), VALUES), st.dictionaries(st.sampled_from("ab"), VALUES),
    st.dictionaries(st.just("ext"), VALUES),
)  # fmt: skip


@settings(max_examples=fewer(80, 150), deadline=None)
@given(DOCUMENTS)
def test_decode_of_encode_is_the_same(document: dict[str, Any]) -> None:
    envelope = Envelope(document["job"], document)
    raw = babelqueue.encode(envelope)
    again = babelqueue.decode(raw)
    assert again == envelope
    assert babelqueue.encode(again) == raw


@settings(max_examples=fewer(60, 100), deadline=None)
@given(st.lists(DOCUMENTS, max_size=4), st.sampled_from([None, 0, 2]))
def test_split_finds_what_was_written(documents: list[Any], indent: int | None) -> None:
    raw = "".join(json.dumps(document, indent=indent or None) + "\n" for document in documents).encode()
    assert [json.loads(frame.raw) for frame in frames(babelqueue.decoder(), [raw])] == documents


def test_known_keys_come_first_in_their_order() -> None:
    document = {
        "x": 1, "attempts": 0, "meta": {"v": 1, "created_at": 1, "schema_version": 1, "id": "i", "queue": "q"},
        "data": {}, "trace_id": "t", "job": "urn:a", "dead_letter": None,
    }  # fmt: skip
    raw = babelqueue.encode(Envelope("urn:a", document))
    assert list(json.loads(raw)) == ["job", "trace_id", "data", "meta", "attempts", "dead_letter", "x"]
    assert list(json.loads(raw)["meta"]) == ["id", "queue", "schema_version", "created_at", "v"]


@pytest.mark.parametrize(
    "change, reason",
    [
        pytest.param({"data": {"a": float("nan")}}, "not_json", id="NaN"),
        pytest.param({"data": {"a": float("inf")}}, "not_json", id="Infinity"),
        pytest.param({"data": {"a": "\ud800"}}, "not_json", id="an unpaired surrogate"),
        pytest.param({"data": {1: "a", "1": "b"}}, "not_json", id="a name that is a number"),
        pytest.param({"data": {"a": b"x"}}, "not_json", id="bytes"),
        pytest.param({"timestamp": 1}, "forbidden_key", id="a forbidden key"),
        pytest.param({"urn": "urn:b"}, "forbidden_key", id="the alias"),
        pytest.param({"attempts": "1"}, "not_an_int64", id="attempts in a string"),
    ],
)
def test_what_must_not_be_on_the_wire_is_refused(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(WireError) as refused:
        babelqueue.encode(Envelope("urn:a", {"job": "urn:a", "data": {}, **change}))
    assert refused.value.code == reason


def test_formats_are_found_by_name() -> None:
    assert formats.find("babelqueue").name == "babelqueue"
    with pytest.raises(UsageError, match="not a wire format"):
        formats.find("carrier-pigeon")
