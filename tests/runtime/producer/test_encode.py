"""The envelope as it leaves: byte for byte that of babelqueue's codec for data in its portable form."""

from __future__ import annotations

import json
import re
import uuid
from typing import Any

import pytest
import runtime_messages as on
from babelqueue import EnvelopeCodec
from hypothesis import given
from hypothesis import strategies as st

from babelreg.runtime import InvalidDataError, MessageType
from babelreg.runtime.context import Context, enter, leave
from babelreg.runtime.producer.encode import Encoder, two_uuids

LOOSE: MessageType[Any] = MessageType(on.CREATED, dict, {"type": "object"}, dict, dict)
TRACE = str(uuid.UUID(int=7))

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def in_form(value: Any) -> Any:
    """``value`` with keys sorted and each 1.0 as 1, where an integer is as portable; -0.0 is another number."""
    if isinstance(value, dict):
        return {key: in_form(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [in_form(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 and repr(value) != "-0.0":
        return int(value)
    return value


def of_codec(data: dict[str, Any], queue: str) -> str:
    data = in_form(data)
    envelope = EnvelopeCodec.make(on.CREATED, data, queue=queue, trace_id=TRACE)
    return alike(EnvelopeCodec.encode(envelope))


def alike(body: str) -> str:
    """``body`` without what differs each time."""
    return re.sub(r'"meta":\{"id":"[-0-9a-f]{36}"|"created_at":\d{13}', "", body)


@given(st.dictionaries(st.text(), json_values, max_size=4), st.text(min_size=1, max_size=5))
def test_every_byte_is_that_of_the_codec(data: dict[str, Any], queue: str) -> None:
    assert alike(Encoder(LOOSE, queue).encode(data, TRACE).body) == of_codec(data, queue)


@pytest.mark.parametrize(
    "value",
    [1e16, 1e22, 1e-5, 5e-324, 1.7976931348623157e308, -0.0, 0.1, 100.0, 2**63, 2**64, -(2**63), 2**200, "1e16", "\x7f\u2028/\b\f\x01", None],
    ids=repr,
)  # fmt: skip
def test_numbers_and_characters_that_encoders_differ_in_are_spelled_as_the_codec_does(value: object) -> None:
    data = {"x": [value]}
    assert alike(Encoder(LOOSE, "q").encode(data, TRACE).body) == of_codec(data, "q")


@given(
    st.recursive(
        st.floats() | st.integers(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3),
    )
)
def test_nothing_leaves_that_json_has_no_form_for(value: Any) -> None:
    try:
        body = Encoder(LOOSE, "q").encode({"x": value}).body
    except InvalidDataError as error:
        assert error.reason == "not_json"
        assert re.search("nan|inf", repr(value))
    else:
        assert json.loads(body)["data"] == {"x": value}


def test_data_as_deep_as_the_envelope_may_be_is_encoded() -> None:
    deep: Any = []
    for _ in range(500):
        deep = [deep]
    assert json.loads(Encoder(LOOSE, "q").encode({"x": deep}).body)["data"] == {"x": deep}


def test_data_that_holds_itself_is_refused() -> None:
    circle: dict[str, Any] = {}
    circle["x"] = circle
    with pytest.raises(InvalidDataError):
        Encoder(LOOSE, "q").encode(circle)


@pytest.mark.parametrize("trace", ["\ud800", 'a"b', "\\", " x ", "\n", "é"], ids=ascii)
def test_any_trace_of_a_foreign_producer_is_carried_on(trace: str) -> None:
    outer = enter(Context(on.CREATED, trace, "", 0, "q", "q", "php", None))
    try:
        body = Encoder(LOOSE, "q").encode({}).body
    finally:
        leave(outer)
    assert json.loads(body)["trace_id"] == trace
    assert body.encode("utf-8")


def test_ids_are_random_uuids_of_version_4() -> None:
    found = [text for _ in range(1000) for text in two_uuids()]
    assert len(set(found)) == 2000
    parsed = [uuid.UUID(text) for text in found]
    assert [str(one) for one in parsed] == found
    assert {(one.version, one.variant) for one in parsed} == {(4, uuid.RFC_4122)}
    assert {text[19] for text in found} == set("89ab")


@pytest.mark.parametrize(
    "number, refused",
    [(2**53 - 1, False), (2**53, True), (-(2**53), True), (True, False), (1e300, False)],
)
def test_integers_that_node_would_round_are_refused_where_a_consumer_is_in_node(number: Any, refused: bool) -> None:
    schema = {"type": "object", "additionalProperties": True}
    for consumers in ((), ("shop-web",)):
        kind: Any = MessageType(on.CREATED, dict, schema, dict, dict, queue="orders", node_consumers=consumers)
        encode = Encoder(kind, "orders").encode
        if consumers and refused:
            with pytest.raises(InvalidDataError, match="shop-web would round") as error:
                encode({"lines": [{"x": number}]})
            assert (error.value.pointer, error.value.reason) == ("/lines/0/x", "integer_beyond_double")
        else:
            encode({"lines": [{"x": number}]})
