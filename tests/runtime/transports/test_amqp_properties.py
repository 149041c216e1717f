from __future__ import annotations

import json
from typing import Any

import pika
import pytest
import runtime_messages as on
from babelqueue.pika_transport import PikaTransport
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.runtime.transports.amqp_properties import contract_properties, delivery_headers, message_headers

anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.text(min_size=200, max_size=300),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
members = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(("job", "trace_id", "meta", "attempts"), anything)
    | {"meta": st.fixed_dictionaries({}, optional=dict.fromkeys(("id", "schema_version", "lang"), anything))},
)


def encoded(made: dict[str, Any]) -> bytes:
    return b"".join(pika.BasicProperties(**made).encode())


@settings(max_examples=fewer(40), deadline=None)
@given(members | anything, st.booleans())
def test_any_json_has_properties_that_can_be_sent(document: Any, ascii_only: bool) -> None:
    made = contract_properties(json.dumps(document, ensure_ascii=ascii_only), {"traceparent": "00-1-2-03"})
    assert encoded(made)
    assert made["headers"]["traceparent"] == "00-1-2-03"


@settings(deadline=None)
@given(st.text(st.characters()))
def test_any_text_has_properties_that_can_be_sent(body: str) -> None:
    assert encoded(contract_properties(body, {}))


def test_an_envelope_has_those_of_babelqueues_own_transport() -> None:
    body = json.dumps(on.envelope(attempts=3))
    theirs = PikaTransport("amqp://localhost")._properties(body, {"traceparent": "x"})
    assert encoded(contract_properties(body, {"traceparent": "x"})) == b"".join(theirs.encode())


@pytest.mark.parametrize(
    "table, expected",
    [
        pytest.param(None, {}, id="none"),
        pytest.param({"a": "b", "n": 1}, {"a": "b", "n": "1"}, id="numbers become text"),
        pytest.param({"a": None, "b": b"\xffx"}, {"b": "\ufffdx"}, id="bytes become text, nothing is left out"),
    ],
)
def test_headers_of_a_delivery(table: dict[str, Any] | None, expected: dict[str, str]) -> None:
    assert delivery_headers(table) == expected


def test_message_headers_are_not_those_of_a_delivery() -> None:
    assert message_headers({"traceparent": "x", "x-death": "y", "x-attempts": "1"}) == {"traceparent": "x"}
