"""The message that is sent again for a dead letter, and which dead letters are selected."""

from __future__ import annotations

import json
from typing import Any

import pytest
import runtime_messages as on
from babelqueue.redrive import redrive as theirs
from babelqueue.transport import InMemoryTransport, ReceivedMessage
from hypothesis import given
from hypothesis import strategies as st

from babelreg.contract import Contract
from babelreg.recording.redrive.dead_letter import (
    DeadLetter,
    Selection,
    block_of,
    original_queue,
    reasons_of,
    redriven_body,
)
from babelreg.runtime.bytes import dead_letter

CONTRACT = Contract({on.CREATED: True})
TEXT = '{"job": "urn:babel:orders:created","data":{"a":1.10,"n":9007199254740993},"meta":{"id":"é"},\n "x":{},"attempts": 0}'


def redriven(text: str) -> str:
    envelope = CONTRACT.verdict(text.encode()).envelope
    assert envelope is not None
    return redriven_body(text.encode(), envelope).decode()


@pytest.mark.parametrize("reason", ["failed", "unknown_urn"])
def test_a_dead_letter_becomes_the_bytes_that_were_received(reason: str) -> None:
    received = ReceivedMessage(TEXT, "orders")
    failed = dead_letter.failed(received, 3, "handler_failed: no", "RuntimeError")
    assert failed != TEXT
    assert redriven(failed) == TEXT
    assert redriven(dead_letter.refused(received, 0, reason, "no")) == TEXT


def test_the_name_that_was_sent_stays_and_the_urn_decides() -> None:
    text = TEXT.replace(on.CREATED, "Orders.Created").replace('"meta":{', '"meta":{"schema_version":1,')
    text = text.replace(',"data"', ',"trace_id":"t","data"')
    contract = Contract({on.CREATED: True}, aliases={"Orders.Created": on.CREATED})
    failed = dead_letter.failed(ReceivedMessage(text, "orders"), 3, "handler_failed: no", "RuntimeError").encode()
    verdict = contract.verdict(failed)
    assert verdict.envelope is not None
    assert (verdict.reason, verdict.envelope.urn) == (None, on.CREATED)
    assert redriven_body(failed, verdict.envelope).decode() == text


@pytest.mark.parametrize(
    "text, sent",
    [
        pytest.param(TEXT, TEXT, id="no block: nothing changes"),
        pytest.param(TEXT.replace('s": 0', 's": 7'), TEXT, id="attempts begin at 0 again"),
        pytest.param(TEXT.replace(',"attempts": 0', ""), TEXT.replace('"attempts": 0', '"attempts":0'), id="without"),
        pytest.param(
            TEXT.replace('"x":{}', '"dead_letter":{"a":"}"},"x":{},"dead_letter":{}'), TEXT, id="two blocks, within"
        ),
        pytest.param(TEXT.replace('"x"', '"timestamp":1,"x"'), TEXT, id="a forbidden key, with the block"),
    ],
)
def test_only_two_members_are_edited(text: str, sent: str) -> None:
    if "timestamp" in text:
        text = text[:-1] + ',"dead_letter":{}}'
    assert redriven(text) == sent


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.none()), st.integers(0, 9), st.booleans())
def test_the_message_is_that_of_babelqueue(data: dict[str, Any], attempts: int, block: bool) -> None:
    envelope = {
        **on.envelope(attempts=attempts),
        "data": data,
        **({"dead_letter": {"reason": "failed"}} if block else {}),
    }
    text = json.dumps(envelope, ensure_ascii=False)
    transport = InMemoryTransport()
    transport.publish("orders.dlq", text)
    theirs(transport, "orders.dlq", to_queue="orders", timeout=0)
    assert json.loads(redriven(text)) == json.loads(transport.pop("orders", timeout=0).body)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "named, declared, source, queue",
    [
        pytest.param("orders", "orders", "dead", "orders", id="the queue of the registry"),
        pytest.param("shop", None, "shop.dlq", "shop", id="the queue of the name"),
        pytest.param("shop", "orders", "shop-dlq", "shop", id="the queue of the name on SQS"),
        pytest.param("payments", "orders", "orders.dlq", None, id="another queue, which a producer may name"),
        pytest.param("dead", "dead", "dead", None, id="the queue itself"),
        pytest.param("", "", "x.dlq", None, id="no name"),
        pytest.param(5, None, "5.dlq", None, id="no text"),
        pytest.param(None, "orders", "orders.dlq", None, id="none"),
    ],
)
def test_the_original_queue_counts_where_no_producer_can_have_chosen_it(
    named: Any, declared: str | None, source: str, queue: str | None
) -> None:
    assert original_queue({"original_queue": named}, {declared} - {None}, source) == queue


@pytest.mark.parametrize(
    "block, reasons",
    [
        pytest.param({"reason": "failed", "error": "handler_failed: x"}, ("failed", "handler_failed"), id="ours"),
        pytest.param({"reason": "failed", "error": "Payment gateway timeout"}, ("failed",), id="of another SDK"),
        pytest.param({"reason": 5, "error": None}, (), id="no text"),
        pytest.param({"error": "delivery_limit"}, ("delivery_limit",), id="a code alone"),
    ],
)
def test_reasons(block: dict[str, Any], reasons: tuple[str, ...]) -> None:
    assert reasons_of(block) == reasons
    assert Selection(frozenset(reasons[:1])).matches(reasons, "u")
    assert not Selection(frozenset({"other"})).matches(reasons, "u")
    assert Selection(frozenset(), frozenset({"u"})).matches(reasons, "u")


@pytest.mark.parametrize("body", [b"not json", b"[1]", b'"x"', b"\xff", b'{"dead_letter":1}', b"{}"])
def test_a_body_without_a_block_has_none(body: bytes) -> None:
    assert block_of(DeadLetter(body, None), CONTRACT.verdict(body)) == {}


def test_the_block_around_a_poison_body_is_read() -> None:
    body = dead_letter.poison(ReceivedMessage("not json", "orders"), "not_json: no").encode()
    assert reasons_of(block_of(DeadLetter(body, None), CONTRACT.verdict(body))) == ("poison", "not_json")
