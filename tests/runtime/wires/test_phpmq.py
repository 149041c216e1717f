"""The reader of PHPMQ after messages that break a rule of their type: it names them, and goes on where they end."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.runtime.wires.phpmq import DeadLetter, MessageServerToClient, Reader, Refused, answer, encode

ID = b"d7e7f68761d34838494b233148b5486c"
GOOD = MessageServerToClient(b"Foo", b"Hello World", ID, 3300)


def packet(kind: int, content: bytes) -> bytes:
    return b"P%02d%029d" % (kind, len(content)) + content


def message(kind: int, *packets: bytes, count: int | None = None) -> bytes:
    return b"H01%03d%02d" % (kind, len(packets) if count is None else count) + b"".join(packets)


QUEUE, CONTENT, IDENTITY, TTL = packet(1, b"Foo"), packet(2, b"Hello World"), packet(3, ID), packet(5, b"3300")
DEAD = DeadLetter(b"Foo", ID)
SKIPPED = [
    pytest.param(message(3, QUEUE, CONTENT, IDENTITY), "packet_count_mismatch", DEAD, id="delivery of the revision before TTL"),
    pytest.param(message(3, QUEUE, IDENTITY, TTL), "packet_count_mismatch", DEAD, id="no content"),
    pytest.param(message(3, QUEUE, CONTENT, IDENTITY, packet(5, b"soon")), "invalid_integer", DEAD, id="TTL that is no number"),
    pytest.param(message(3, QUEUE, CONTENT, IDENTITY, packet(6, b"x")), "unexpected_packet", DEAD, id="unknown packet"),
    pytest.param(message(3, QUEUE, CONTENT, CONTENT, IDENTITY), "packet_count_mismatch", DEAD, id="content twice"),
    pytest.param(message(3, IDENTITY, QUEUE), "packet_count_mismatch", DEAD, id="packets in another order"),
    pytest.param(message(3, QUEUE, CONTENT, TTL), "packet_count_mismatch", None, id="no id"),
    pytest.param(message(3, CONTENT, IDENTITY, TTL), "packet_count_mismatch", None, id="no queue"),
    pytest.param(message(3, QUEUE, CONTENT, IDENTITY, IDENTITY), "packet_count_mismatch", None, id="id twice"),
    pytest.param(message(3, QUEUE, QUEUE, CONTENT, IDENTITY), "packet_count_mismatch", None, id="queue twice"),
    pytest.param(message(3), "packet_count_mismatch", None, id="no packets"),
    pytest.param(message(1, QUEUE, CONTENT), "packet_count_mismatch", None, id="message to a server, without TTL"),
    pytest.param(message(7, QUEUE, IDENTITY), "message_type_not_implemented", None, id="unknown message type"),
]  # fmt: skip
OVER = [
    pytest.param(b"X" + message(3, QUEUE)[1:], "invalid_message_flag", id="no message flag"),
    pytest.param(b"H02" + message(3, QUEUE, CONTENT, IDENTITY, TTL)[3:], "unsupported_version", id="other version"),
    pytest.param(b"H01003xx", "invalid_digits", id="count that is no number"),
    pytest.param(message(3, QUEUE, b"Q" + CONTENT[1:]), "packet_count_mismatch", id="no packet flag"),
    pytest.param(message(3, QUEUE, b"P02" + b"9" * 29), "packet_count_mismatch", id="length beyond the limit"),
    pytest.param(message(3, QUEUE, count=5), "packet_count_mismatch", id="count too high"),
]


@pytest.mark.parametrize("raw, code, expected", SKIPPED)
def test_a_framed_message_is_refused_with_its_id_and_the_stream_goes_on(raw: bytes, code: str, expected: Any) -> None:
    reader = Reader()
    assert reader.feed(encode(GOOD)) == [GOOD]
    refused, following = reader.feed(raw + encode(GOOD))
    assert isinstance(refused, Refused)
    assert (refused.code, answer(refused), following, reader.stopped) == (code, expected, GOOD, False)
    assert len(encode(GOOD)) <= (refused.offset or 0) <= len(encode(GOOD) + raw)
    assert refused.id == (ID if raw.count(b"P03") == 1 else None)
    assert b"Hello" not in repr(refused).encode()
    assert reader.close() == []


@pytest.mark.parametrize("raw, code", OVER)
def test_a_stream_is_over_where_a_message_has_no_end(raw: bytes, code: str) -> None:
    reader = Reader()
    received = reader.feed(raw + encode(GOOD)) + reader.close()
    assert [(item.code, answer(item)) for item in received if isinstance(item, Refused)] == [(code, None)]
    assert len(received) == 1
    assert reader.stopped
    assert reader.feed(encode(GOOD)) == []


def test_a_message_cut_short_after_its_fault_is_refused_when_the_stream_ends() -> None:
    reader = Reader()
    assert reader.feed(message(3, QUEUE, CONTENT, IDENTITY)[:-1]) == []
    (refused,) = reader.close()
    assert isinstance(refused, Refused)
    assert (refused.code, refused.id, answer(refused), reader.stopped) == ("packet_count_mismatch", None, None, True)


@given(
    st.lists(st.sampled_from([encode(GOOD), *(case.values[0] for case in [*SKIPPED, *OVER])]), max_size=5), st.data()
)
def test_pieces_do_not_matter(messages: list[Any], data: st.DataObject) -> None:
    raw = b"".join(messages)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=8)))
    at_once, in_pieces = Reader(), Reader()
    pieces = [raw[start:end] for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    received = [item for piece in pieces for item in in_pieces.feed(piece)] + in_pieces.close()
    assert received == at_once.feed(raw) + at_once.close()
    assert in_pieces.stopped == at_once.stopped
