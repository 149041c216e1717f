"""An envelope that is passed on keeps the text of its producer, but for what must not be passed on."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.contract import emit
from babelreg.contract.envelope import decoded
from babelreg.contract.envelope_edit import with_members


@pytest.mark.parametrize(
    "text, expected",
    [
        pytest.param('{"job":"u","timestamp":1,"data":{"a":1.10}}', '{"job":"u","data":{"a":1.10}}',
                     id="a forbidden key between others"),
        pytest.param('{"job":"u","data":{"a":1.10},"timestamp":1}', '{"job":"u","data":{"a":1.10}}',
                     id="a forbidden key at the end"),
        pytest.param('{"timestamp":1}', "{}", id="a forbidden key alone"),
        pytest.param('{"job":"u", "timestamp":1, "timestamp":2, "n":1e400}', '{"job":"u", "n":1e400}',
                     id="a forbidden key twice"),
        pytest.param('{"job":"u","meta":{"ts":1,"id":"x","source":{"a":[1]},"v":1.0,"max_retries":3}}',
                     '{"job":"u","meta":{"id":"x","v":1.0}}', id="forbidden keys of meta"),
        pytest.param('{"job":"u","data":{"ts":1,"meta":{"ts":1}},"meta":{"attempts":1}}',
                     '{"job":"u","data":{"ts":1,"meta":{"ts":1}},"meta":{}}', id="the same names in data stay"),
        pytest.param('{"urn":"u","n":1.10}', '{"job":"u","n":1.10}', id="the alias becomes job"),
        pytest.param('{"urn" : "u","n":1.10}', '{"job" : "u","n":1.10}', id="the alias with blanks"),
        pytest.param('{"job":null,"n":1.10,"urn":"u"}', '{"job":"u","n":1.10}', id="a job that is not a string"),
        pytest.param('{"job":" ","urn":"u"}', '{"job":"u"}', id="a blank job"),
        pytest.param('{"urn":"a","job":"u","n":1.10}', '{"job":"u","n":1.10}', id="job wins over the alias"),
        pytest.param('{"urn":5,"n":1.10}', '{"n":1.10}', id="an alias that names nothing"),
        pytest.param('{"\\u0075rn":"u","n":1.10}', '{"job":"u","n":1.10}', id="an escaped alias"),
        pytest.param('{"JOB":1,"Timestamp":2}', '{"JOB":1,"Timestamp":2}', id="keys of another case stay"),
    ],
)  # fmt: skip
def test_only_what_must_not_be_passed_on_leaves_the_text(text: str, expected: str) -> None:
    assert with_members(text, {}) == expected


def test_number_text_stays_where_a_forbidden_key_is_cut_out() -> None:
    text = '{"job":"u","timestamp":1,"data":{"a":1.10,"b":12345678901234567890.5},"attempts":0}'
    assert with_members(text, {"attempts": 1}) == (
        '{"job":"u","data":{"a":1.10,"b":12345678901234567890.5},"attempts":1}'
    )


_KEYS = st.sampled_from(["job", "urn", "timestamp", "meta", "data", "x", "attempts"])
_META = st.dictionaries(st.sampled_from(["ts", "source", "attempts", "max_retries", "id", "y"]), st.integers(0, 3))
_VALUES = st.one_of(
    st.none(), st.integers(0, 9), st.sampled_from(["", " ", "u", "a:b,{}"]), st.lists(st.integers(0, 9))
)


@given(st.dictionaries(_KEYS, _VALUES), st.none() | _META, st.sampled_from([None, 1]))
def test_it_means_what_decoding_and_encoding_means(document: dict[str, Any], meta: Any, indent: int | None) -> None:
    document.pop("meta", None)
    if meta is not None:
        document["meta"] = meta
    text = json.dumps(document, indent=indent)
    expected = decoded(json.loads(text)).document
    assert json.loads(with_members(text, {"attempts": 5})) == {**expected, "attempts": 5}


def test_a_forbidden_key_in_a_short_meta_is_dropped_with_a_warning() -> None:
    envelope = decoded({"job": "u", "meta": {"schema_version": 1, "ts": 1}})
    assert [warning.pointer for warning in envelope.warnings] == ["/meta/ts"]
    assert envelope.meta == {"schema_version": 1}


def test_a_dead_letter_block_is_written_in_the_order_of_the_sdks() -> None:
    names = ["reason", "error", "exception", "failed_at", "original_queue", "attempts", "lang"]
    block = {"x": 1, **dict.fromkeys(reversed(names), None)}
    assert list(json.loads(emit.encode({"job": "u", "dead_letter": block}, first=False))["dead_letter"]) == [
        *names,
        "x",
    ]


def test_no_producer_sends_a_dead_letter_block() -> None:
    made = emit.make("urn:babel:orders:created", {}, queue="q")
    made["dead_letter"] = {"reason": "failed"}
    assert emit.fault(made) == (
        "forbidden_key",
        "/dead_letter",
        "dead_letter belongs to messages of a dead-letter queue (E36)",
    )
    assert emit.fault(made, first=False) is None
