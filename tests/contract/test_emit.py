"""Envelopes as bytes: the fast way for values that were read from JSON writes what the strict one does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.contract import emit
from babelreg.contract.emit import EmitError

ID, TRACE = "f1e2d3c4-b5a6-4789-90ab-cdef01234567", "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b"
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=4),
    st.sampled_from([1e22, 1e-7, 5e-324, 2**63, -(2**63) - 1, 2**63 - 1, 10**18, ":1e5", "[1.5e", "\x1f\x7f\u2028", "\ud800"]),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def envelope(data: Any) -> dict[str, Any]:
    meta = {"id": ID, "queue": "q", "lang": "python", "schema_version": 1, "created_at": 1, "ext": {"strata": data}}
    return {"job": "urn:babel:a:b", "trace_id": TRACE, "data": data, "meta": meta, "attempts": 0}


def written(encode: Any, document: dict[str, Any]) -> bytes | tuple[str, str]:
    try:
        encoded: bytes = encode(document)
    except EmitError as err:
        return err.fault.reason, err.fault.pointer
    return encoded


@settings(max_examples=fewer(150, 400), deadline=None)
@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=4))
def test_what_was_read_from_json_is_written_as_by_the_strict_encoder(data: dict[str, Any]) -> None:
    document = envelope(data)
    assert written(emit.encode_parsed, document) == written(emit.encode, document)


@pytest.mark.parametrize(
    "changed, reason",
    [
        pytest.param({"job": " "}, "missing_urn", id="a blank URN"),
        pytest.param({"trace_id": "t"}, "not_a_uuid", id="a trace that is no UUID"),
        pytest.param({"trace_id": ID}, "same_id", id="the id of the message as its trace"),
        pytest.param({"data": []}, "wrong_member_type", id="data that is no object"),
        pytest.param({"urn": "urn:babel:a:b"}, "forbidden_key", id="a key of early drafts"),
        pytest.param({"data": {"n": 2**63}}, "not_an_int64", id="an integer that only orjson writes"),
        pytest.param({"data": {"s": "\ud800"}}, "not_json", id="an unpaired surrogate"),
    ],
)
def test_the_rules_for_producers_hold_for_both(changed: dict[str, Any], reason: str) -> None:
    for encode in (emit.encode, emit.encode_parsed):
        with pytest.raises(EmitError) as refused:
            encode(envelope({}) | changed)
        assert refused.value.fault.reason == reason


def test_an_ordinary_envelope_is_not_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emit, "encode", None)
    assert json.loads(emit.encode_parsed(envelope({"n": 1.5, "s": "12e4", "l": [None]})))["data"]["n"] == 1.5
