"""The one verdict: every reason, at its place, and nothing of the data in what is said."""

from __future__ import annotations

import json
from typing import Any

import pytest
from examples import fewer
from hang import limited
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.contract import Contract, envelope
from babelreg.contract.reason import REASONS
from babelreg.errors import SchemaError

URN = "urn:babel:orders:created"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "integer", "minimum": 1, "maximum": 10**25},
        "email": {"type": "string", "format": "email"},
        "code": {"type": "string", "pattern": "^[A-Z]+$", "minLength": 2, "maxLength": 4},
        "kind": {"enum": ["a", "b"]},
        "one": {"const": 1},
        "flag": {"type": "boolean"},
        "none": {"type": "null"},
        "ratio": {"type": "number", "multipleOf": 0.5, "exclusiveMinimum": 0, "exclusiveMaximum": 9},
        "either": {"type": ["string", "null"]},
        "lines": {
            "type": "array", "minItems": 1, "maxItems": 2, "uniqueItems": True, "items": {"type": "object"},
        },
        "pair": {"prefixItems": [{"type": "string"}], "items": False},
        "tags": {"contains": {"const": "x"}},
        "map": {
            "type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1, "maxProperties": 2,
            "propertyNames": {"pattern": "^[a-z]$"},
        },
        "any": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "alone": {"oneOf": [{"type": "integer"}, {"minimum": 2}]},
        "never": False,
        "unlike": {"not": {"const": "secret"}},
    },
}  # fmt: skip


def message(**changes: Any) -> dict[str, Any]:
    meta = {"id": "f1e2d3c4-b5a6-4789-90ab-cdef01234567", "queue": "q", "lang": "php", "schema_version": 1}
    whole = {"job": URN, "trace_id": "t", "data": {"id": 1}, "meta": {**meta, "created_at": 0}, "attempts": 0}
    whole |= changes
    return {key: value for key, value in whole.items() if value is not Ellipsis}


def body(**changes: Any) -> bytes:
    return json.dumps(message(**changes)).encode()


READER = Contract({URN: SCHEMA})


def test_a_good_message() -> None:
    verdict = READER.verdict(body())
    assert verdict.ok
    assert verdict.kind is None
    assert verdict.envelope is not None
    assert (verdict.envelope.urn, verdict.envelope.id) == (URN, message()["meta"]["id"])


META = message()["meta"]


@pytest.mark.parametrize(
    "changes, reason, pointer",
    [
        pytest.param({"job": ...}, "missing_urn", "/job", id="no job"),
        pytest.param({"job": " \t"}, "missing_urn", "/job", id="a blank job"),
        pytest.param({"meta": ...}, "missing_meta", "/meta", id="no meta"),
        pytest.param({"meta": []}, "wrong_member_type", "/meta", id="meta is an array"),
        pytest.param({"meta": {**META, "schema_version": 2}}, "unsupported_schema_version", "/meta/schema_version",
                     id="another version"),
        pytest.param({"meta": {**META, "schema_version": True}}, "not_an_int64", "/meta/schema_version",
                     id="true is no version"),
        pytest.param({"meta": {**META, "schema_version": 1.0}}, "not_an_int64", "/meta/schema_version",
                     id="1.0 is no integer literal"),
        pytest.param({"meta": {**META, "created_at": 2**63}}, "not_an_int64", "/meta/created_at", id="beyond int64"),
        pytest.param({"meta": {**META, "id": 5}}, "wrong_member_type", "/meta/id", id="an id that is a number"),
        pytest.param({"data": ...}, "invalid_data", "/data", id="no data"),
        pytest.param({"data": None}, "invalid_data", "/data", id="null data"),
        pytest.param({"data": []}, "wrong_member_type", "/data", id="an array for data"),
        pytest.param({"trace_id": ...}, "missing_trace_id", "/trace_id", id="no trace_id"),
        pytest.param({"trace_id": "\v"}, "missing_trace_id", "/trace_id", id="a blank trace_id"),
        pytest.param({"trace_id": 7}, "wrong_member_type", "/trace_id", id="a trace_id that is a number"),
        pytest.param({"attempts": ...}, "invalid_attempts", "/attempts", id="no attempts"),
        pytest.param({"attempts": -1}, "invalid_attempts", "/attempts", id="negative attempts"),
        pytest.param({"attempts": "1"}, "not_an_int64", "/attempts", id="attempts in a string"),
        pytest.param({"dead_letter": 5}, "wrong_member_type", "/dead_letter", id="a dead_letter that is a number"),
        pytest.param({"dead_letter": {"failed_at": "x"}}, "not_an_int64", "/dead_letter/failed_at", id="within it"),
        pytest.param({"job": "urn:babel:orders:other"}, "unknown_urn", "/job", id="an unknown urn"),
    ],
)  # fmt: skip
def test_envelopes_that_are_refused(changes: dict[str, Any], reason: str, pointer: str) -> None:
    verdict = READER.verdict(body(**changes))
    assert (verdict.reason, verdict.pointer) == (reason, pointer)
    assert (verdict.envelope is None) == (verdict.kind == "poison" and reason != "missing_urn")


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"meta": {**META, "lang": "cobol"}}, id="an unknown language"),
        pytest.param({"meta": {**META, "lang": None}}, id="no language"),
        pytest.param({"extra": 1, "JOB": 5}, id="unknown keys"),
        pytest.param({"dead_letter": {"reason": "failed", "error": None}}, id="a dead letter"),
        pytest.param({"trace_id": "\u00a0"}, id="a trace_id of other spaces"),
        pytest.param({"attempts": 7}, id="a later attempt"),
    ],
)
def test_envelopes_that_are_taken(changes: dict[str, Any]) -> None:
    assert READER.verdict(body(**changes)).ok


@pytest.mark.parametrize(
    "data, reason, pointer",
    [
        pytest.param({}, "missing_required", "", id="a property is absent"),
        pytest.param({"id": "1"}, "not_an_integer", "/id", id="not an integer"),
        pytest.param({"id": True}, "not_an_integer", "/id", id="true is no integer"),
        pytest.param({"id": 0}, "below_minimum", "/id", id="too small"),
        pytest.param({"id": 10**26}, "above_maximum", "/id", id="too great"),
        pytest.param({"id": 1, "email": "x"}, "wrong_format", "/email", id="formats are asserted"),
        pytest.param({"id": 1, "email": 1}, "not_a_string", "/email", id="not a string"),
        pytest.param({"id": 1, "code": "ab"}, "wrong_pattern", "/code", id="no match"),
        pytest.param({"id": 1, "code": "A"}, "below_min_length", "/code", id="too short"),
        pytest.param({"id": 1, "code": "ABCDE"}, "above_max_length", "/code", id="too long"),
        pytest.param({"id": 1, "kind": "c"}, "not_in_enum", "/kind", id="not listed"),
        pytest.param({"id": 1, "one": 2}, "wrong_const", "/one", id="not the constant"),
        pytest.param({"id": 1, "flag": 0}, "not_a_boolean", "/flag", id="0 is no boolean"),
        pytest.param({"id": 1, "none": 0}, "not_null", "/none", id="not null"),
        pytest.param({"id": 1, "ratio": "1"}, "not_a_number", "/ratio", id="not a number"),
        pytest.param({"id": 1, "ratio": 0.7}, "not_a_multiple", "/ratio", id="not a multiple"),
        pytest.param({"id": 1, "ratio": 0}, "below_minimum", "/ratio", id="on the open lower bound"),
        pytest.param({"id": 1, "ratio": 9}, "above_maximum", "/ratio", id="on the open upper bound"),
        pytest.param({"id": 1, "either": 1}, "wrong_type", "/either", id="none of two types"),
        pytest.param({"id": 1, "lines": {}}, "not_an_array", "/lines", id="not an array"),
        pytest.param({"id": 1, "lines": []}, "too_few_items", "/lines", id="too few"),
        pytest.param({"id": 1, "lines": [{}, {"a": 1}, {"b": 1}]}, "too_many_items", "/lines", id="too many"),
        pytest.param({"id": 1, "lines": [{}, {}]}, "not_unique", "/lines", id="not unique"),
        pytest.param({"id": 1, "lines": [5]}, "not_an_object", "/lines/0", id="not an object"),
        pytest.param({"id": 1, "pair": ["a", 1]}, "not_allowed", "/pair/1", id="an item too many"),
        pytest.param({"id": 1, "tags": ["y"]}, "missing_item", "/tags", id="an item is missing"),
        pytest.param({"id": 1, "map": {}}, "too_few_properties", "/map", id="too few properties"),
        pytest.param({"id": 1, "map": {"a": 1, "b": 1, "c": 1}}, "too_many_properties", "/map", id="too many of them"),
        pytest.param({"id": 1, "map": {"A": 1}}, "wrong_property_name", "/map", id="a wrong name"),
        pytest.param({"id": 1, "map": {"a": "x"}}, "not_an_integer", "/map/a", id="a wrong value in a map"),
        pytest.param({"id": 1, "any": 1}, "no_alternative", "/any", id="no alternative"),
        pytest.param({"id": 1, "alone": 2}, "several_alternatives", "/alone", id="both alternatives"),
        pytest.param({"id": 1, "never": 1}, "not_allowed", "/never", id="nothing may stand there"),
        pytest.param({"id": 1, "unlike": "secret"}, "excluded", "/unlike", id="what it must not be"),
    ],
)  # fmt: skip
def test_data_that_is_refused(data: dict[str, Any], reason: str, pointer: str) -> None:
    verdict = READER.verdict(body(data=data))
    assert (verdict.reason, verdict.pointer, verdict.kind) == (reason, "/data" + pointer, "data")
    bare = READER.data_verdict(URN, data)
    assert (bare.reason, bare.pointer) == (reason, pointer)


def test_producers_are_held_to_the_producer_view() -> None:
    producer = Contract({URN: SCHEMA}, side="producer")
    assert READER.data_verdict(URN, {"id": 1, "new": 1}).ok
    assert producer.data_verdict(URN, {"id": 1, "new": 1}).reason == "additional_not_allowed"
    assert Contract({URN: SCHEMA}, side="producer", strict=[URN]).data_verdict(URN, {"id": 1, "new": 1}).ok


@pytest.mark.parametrize(
    "data",
    [
        pytest.param({"id": float("nan")}, id="NaN"),
        pytest.param({1: 2}, id="a name that is a number"),
        pytest.param({"id": b"x"}, id="bytes"),
        pytest.param({"id": object()}, id="an object of Python"),
    ],
)
def test_what_is_no_json_is_refused_without_a_traceback(data: Any) -> None:
    assert not Contract({URN: SCHEMA}, side="producer").data_verdict(URN, data).ok


def test_what_is_said_holds_no_value_of_the_data() -> None:
    verdict = READER.verdict(body(data={"id": 1, "email": "ada lovelace 4111111111111111"}))
    assert verdict.reason == "wrong_format"
    assert "4111" not in str(verdict.detail)
    long = READER.verdict(body(data={"id": 1, "map": {"a" * 100_000: 1}}))
    assert len(str(long.detail)) < 1000


def test_a_recursive_schema_and_a_deep_message() -> None:
    schema = {"properties": {"kid": {"$ref": "#"}}, "type": "object"}
    raw = json.dumps(message(data=...))[:-1].encode() + b',"data":' + b'{"kid":' * 900 + b"{}" + b"}" * 900 + b"}"
    assert Contract({URN: schema}).verdict(raw).ok


def test_a_schema_that_cannot_be_used_says_whose_it_is() -> None:
    with pytest.raises(SchemaError, match=r"urn:babel:orders:created: \$ref 'x.json' points outside"):
        Contract({URN: {"properties": {"a": {"$ref": "x.json"}}}}).verdict(body())


def test_nothing_outside_the_schema_is_fetched() -> None:
    with pytest.raises(SchemaError):
        Contract({URN: {"$ref": "file:///etc/passwd"}}, strict=[URN]).verdict(body())


def test_warnings_name_what_was_dropped() -> None:
    found = READER.verdict(body(timestamp=1, urn="urn:x", meta={**META, "ts": 1, "source": 2}))
    assert found.ok
    assert found.envelope is not None
    assert [warned.pointer for warned in found.envelope.warnings] == [
        "/timestamp", "/meta/source", "/meta/ts", "/urn",
    ]  # fmt: skip
    assert found.envelope.document == message()


def test_every_reason_is_one_line_and_one_word() -> None:
    for code, reason in REASONS.items():
        assert code.replace("_", "").isalnum()
        assert code.islower()
        assert "\n" not in reason.meaning
        assert reason.kind in ("poison", "envelope", "unknown_urn", "data", "send")


MEMBER = st.one_of(st.none(), st.booleans(), st.integers(-2, 2**64), st.floats(allow_nan=False), st.text(max_size=3),
                   st.just([]), st.just({}), st.just({"id": 1}), st.just(META), st.just(URN),
                   st.sampled_from([{"strata": {}}, [], 1]).map(lambda ext: {**META, "ext": ext}))  # fmt: skip
NAMES = st.sampled_from(["job", "urn", "trace_id", "data", "meta", "attempts", "dead_letter", "timestamp", "x"])


@settings(max_examples=fewer(250, 400), deadline=None)
@given(st.dictionaries(NAMES, MEMBER, max_size=4))
def test_the_short_way_for_ordinary_messages_agrees_with_the_rules(changes: dict[str, Any]) -> None:
    document = message(**changes)
    if envelope.has_common_shape(document):
        before = json.loads(json.dumps(document))
        assert envelope.type_fault(document) is None
        slow = envelope.decoded(document)
        assert envelope.fault(slow) is None
        assert slow == envelope.Envelope(before["job"], before)


WIDE = Contract({URN: {"type": "object", "properties": {"id": {"type": "number", "not": {"const": 10**19}}}}})
WIDE.validator(URN)
NUMBERS = st.one_of(st.integers(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False))
DATA = st.dictionaries(
    st.text(max_size=2),
    st.recursive(NUMBERS | st.text(max_size=4), lambda below: st.lists(below, max_size=3), max_leaves=5),
    max_size=4,
)


@settings(max_examples=fewer(200, 400), deadline=None)
@given(st.dictionaries(NAMES, MEMBER, max_size=2), DATA)
def test_what_is_admitted_in_one_look_is_what_the_verdict_calls_good(
    changes: dict[str, Any], data: dict[str, Any]
) -> None:
    sent = body(**{"data": data, **changes})
    admitted = WIDE.admit(sent)
    if admitted is not None:
        found = WIDE.verdict(sent)
        assert found.ok
        assert found.envelope is not None
        assert found.envelope.document == admitted[0]
        assert repr(json.loads(admitted[1])) == repr(dict(sorted(found.envelope.data.items())))


@pytest.mark.parametrize(
    "spoiled",
    [
        pytest.param(body(job="urn:babel:nobody:knows"), id="an unknown URN"),
        pytest.param(body(job=["a"]), id="a job that is no text"),
        pytest.param(body(data={"id": 10**19}), id="an integer that the schema excludes and a float would hide"),
        pytest.param(body(data={"id": 2**64 + 1}), id="an integer that does not fit into 64 bits"),
        pytest.param(body(data={"id": -(2**63) - 1}), id="the first integer below 64 bits"),
        pytest.param(body(data={"x": "\ud800"}), id="an unpaired surrogate"),
        pytest.param(body(data={"id": "1"}), id="data that the schema refuses"),
        pytest.param(body(attempts=2**64), id="attempts beyond 64 bits"),
        pytest.param(b"[" * 600 + b"]" * 600, id="brackets"),
        pytest.param(body(data={"x": json.loads("[" * 600 + "]" * 600)}), id="deep data"),
        pytest.param(b"{} {}", id="two documents"),
        pytest.param(body()[:-1], id="a message that is cut off"),
        pytest.param(b"\xef\xbb\xbf" + body(), id="a byte order mark"),
        pytest.param(body() + b" " * 2**24, id="too many bytes"),
    ],
)
def test_what_needs_a_second_look_is_not_admitted(spoiled: bytes) -> None:
    assert WIDE.admit(spoiled) is None


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(body(), id="as nearly every message is"),
        pytest.param(body(data={"b": 1e300, "a": "+49 30"}), id="a sign in a text, and a large float"),
        pytest.param(body(data={"id": 2**64 - 1}), id="the largest integer of 64 bits"),
    ],
)
def test_what_is_good_is_admitted_once_its_schema_was_used(sent: bytes) -> None:
    assert Contract({URN: SCHEMA}).admit(sent) is None
    admitted = WIDE.admit(sent)
    assert admitted is not None
    assert json.loads(admitted[1]) == admitted[0]["data"] == json.loads(sent)["data"]


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(NAMES, MEMBER, max_size=5))
def test_whatever_comes_gets_a_known_reason(changes: dict[str, Any]) -> None:
    verdict = READER.verdict(body(**changes))
    assert verdict.ok or verdict.reason in REASONS


def test_data_whose_refusals_cannot_be_listed_has_a_reason_of_its_own() -> None:
    n = {"properties": {"m": {"oneOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}}}
    for side in ("reader", "producer"):
        contract = Contract({URN: {"type": "object", "$ref": "#/$defs/n", "$defs": {"n": n}}}, side=side)
        deep: dict[str, Any] = {}
        for _ in range(24):
            deep = {"m": deep}
        with limited(20):
            verdict = contract.verdict(body(data=deep))
            assert (verdict.reason, verdict.pointer, verdict.kind) == ("too_complex", "/data", "data")
            assert contract.data_verdict(URN, deep)[:2] == ("too_complex", "")
            assert contract.admit(body(data=deep)) is None
            assert contract.verdict(body(data={"m": {"m": {}}})).reason == "no_alternative"
            assert contract.verdict(body(data={})).ok


ALIAS = "com.shop.orders.created"
ALIASED = Contract({URN: SCHEMA}, aliases={ALIAS: URN, "Gone": "urn:babel:orders:gone"})


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"job": ALIAS}, id="in the common shape"),
        pytest.param({"job": ..., "urn": ALIAS}, id="as urn"),
        pytest.param({"job": ALIAS, "extra": 1}, id="with an unknown member"),
        pytest.param({"job": ALIAS, "data": {}}, id="with data that violates the contract"),
        pytest.param({"job": ALIAS, "attempts": -1}, id="with a wrong envelope"),
    ],
)
def test_an_alias_is_the_same_message_and_the_document_keeps_what_was_sent(changes: dict[str, Any]) -> None:
    verdict = ALIASED.verdict(body(**changes))
    by_urn = READER.verdict(body(**{**changes, "job" if "urn" not in changes else "urn": URN}))
    assert (verdict.reason, verdict.pointer, verdict.detail) == (by_urn.reason, by_urn.pointer, by_urn.detail)
    assert verdict.envelope is not None
    assert (verdict.envelope.urn, verdict.envelope.sent_urn, verdict.envelope.document["job"]) == (URN, ALIAS, ALIAS)


@pytest.mark.parametrize("name", [URN, ALIAS])
def test_the_fast_path_admits_a_message_under_every_name(name: str) -> None:
    contract = Contract({URN: SCHEMA}, aliases={ALIAS: URN})
    assert contract.admit(body(job=name)) is None, "not compiled"
    assert contract.verdict(body(job=name)).ok
    for other in (URN, ALIAS):
        admitted = contract.admit(body(job=other))
        assert admitted is not None
        assert admitted[0]["job"] == other


def test_an_alias_without_a_schema_is_unknown_under_the_name_that_was_sent() -> None:
    verdict = ALIASED.verdict(body(job="Gone"))
    assert verdict.reason == "unknown_urn"
    assert "'Gone'" in str(verdict.detail)
    assert verdict.envelope is not None
    assert verdict.envelope.urn == verdict.envelope.sent_urn == "Gone"


def test_an_envelope_is_decoded_with_the_urn_of_its_alias() -> None:
    envelope_read = ALIASED.decode(body(job=ALIAS))
    assert isinstance(envelope_read, envelope.Envelope)
    assert (envelope_read.urn, envelope_read.sent_urn) == (URN, ALIAS)
