"""Decoders on any bytes: no exception but WireError, no hang, bounded memory, the same events however a stream is split."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st
from wire_vectors import rows

from babelreg.wire.format import Format, Frame, Receipt, WireError, frames
from babelreg.wire.formats import babelqueue, flowlayer, phpmq, strata
from babelreg.wire.formats.phpmq.headers import limits as packet_limits
from babelreg.wire.formats.phpmq.models import PacketMessage, parse
from babelreg.wire.formats.table import FORMATS
from babelreg.wire.json_record import frame_bytes, record
from babelreg.wire.lines import Lines

from .generated import flowlayer_messages, phpmq_messages, strata_messages

ROWS = rows("vector")
# A format without vectors, as a new one, has no streams to damage; test_vectors says which must have some.
NAMES = sorted({row["format"] for row in ROWS} & set(FORMATS))
RECEIPT = Receipt("0", 0)


def inputs() -> dict[str, list[bytes]]:
    found: dict[str, list[bytes]] = {name: [] for name in NAMES}
    for row in ROWS:
        found[row["format"]].append(row["input"])
    return found


INPUTS = inputs()
SCRAPS = [b"", b"\n", b"{", b"}", b'"', b"\\", b"\xff", b"\0", b"H01", b"P01", b"0" * 29, b"9" * 29, b"-1", b"null", b"1e999",
          b'"type":', b'"auth":"S3CRET"', b"[" * 40, b'{"a":' * 40, b"\xed\xa0\x80", b'"\\ud800"', b" "]  # fmt: skip


def damaged(chance: random.Random, name: str) -> bytes:
    """Some message of the vectors, cut, doubled, spliced, with scraps in it; or noise."""
    raw = bytearray(chance.choice(INPUTS[name]))
    if chance.random() < 0.1:
        return chance.randbytes(chance.randrange(200))
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(raw) + 1)
        way = chance.randrange(5)
        if way == 0:
            del raw[at:]
        elif way == 1 and raw:
            raw[at % len(raw)] = chance.randrange(256)
        elif way == 2:
            raw[at:at] = chance.choice(SCRAPS)
        elif way == 3:
            other = chance.choice(INPUTS[name])
            raw[at:] = other[chance.randrange(len(other) + 1) :]
        else:
            del raw[at : at + chance.randrange(40)]
    whole = b"".join(chance.choices(INPUTS[name], k=chance.randrange(3)))  # some messages before the damage
    return whole + bytes(raw)


def shown(events: list[Frame | WireError]) -> list[Any]:
    return [
        (repr(one.value), one.raw, one.offset, one.line) if isinstance(one, Frame) else (one.code, one.offset, one.line)
        for one in events
    ]


def check(wire: Format, raw: bytes, profile: Any, chance: random.Random, *, deep: bool) -> int:
    """Everything that can be done with any bytes; returns the number of messages found."""
    events = list(frames(wire.decoder(profile=profile), [raw]))
    good = 0
    for event in events:
        if isinstance(event, WireError):
            assert event.code in wire.CODES, event.code
            assert event.offset is not None
            assert 0 <= event.offset <= len(raw)
            assert "S3CRET" not in str(event)
            wire.mask(event.raw)
            continue
        good += 1
        assert raw[event.offset : event.offset + len(event.raw)] == event.raw
        found = wire.validate(event.value, profile=profile)
        assert all(one.code in wire.CODES and "S3CRET" not in one.detail for one in found)
        if deep:
            derived(wire, event, profile)
    if deep:
        size = chance.randrange(1, 60)
        pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
        assert shown(list(frames(wire.decoder(profile=profile), pieces))) == shown(events)
    return good


def derived(wire: Format, event: Frame, profile: Any) -> None:
    wire.validate(event.value, profile="strict")
    assert frame_bytes(wire, record(wire, event)) == event.raw
    masked = wire.mask(event.raw)
    try:
        body = wire.to_canonical(event, RECEIPT).body
    except WireError as err:
        assert "S3CRET" not in str(err)
        return
    if body is not None and wire.name == "strata":
        assert wire.to_canonical(Frame(wire.decode(masked), masked), RECEIPT).body == body


@pytest.mark.parametrize("profile", ["strict", "compat"])
@pytest.mark.parametrize("name", NAMES)
def test_any_bytes_give_messages_or_errors(name: str, profile: str) -> None:
    good = 0
    for seed in range(600):
        chance = random.Random(seed)
        good += check(FORMATS[name], damaged(chance, name), profile, chance, deep=seed % 3 == 0)
    assert good > 100  # the damage leaves some messages whole


@pytest.mark.long
@pytest.mark.parametrize("start", range(0, 150_000, 30_000))
@pytest.mark.parametrize("profile", ["strict", "compat"])
@pytest.mark.parametrize("name", NAMES)
def test_a_million_damaged_streams(name: str, profile: str, start: int) -> None:
    """8 times 5 times 30,000 cases: 1.2 million."""
    for seed in range(start, start + 30_000):
        chance = random.Random(f"{name}{profile}{seed}")
        check(FORMATS[name], damaged(chance, name), profile, chance, deep=seed % 10 == 0)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(NAMES), st.sampled_from(["strict", "compat"]))
def test_noise(raw: bytes, name: str, profile: Any) -> None:
    check(FORMATS[name], raw, profile, random.Random(0), deep=True)


@settings(max_examples=80, deadline=None)
@given(flowlayer_messages)
def test_flowlayer_messages_come_back_as_they_went(value: dict[str, Any]) -> None:
    assert flowlayer.validate(value) == []
    sent = flowlayer.encode(value)
    assert flowlayer.decode(sent) == value
    assert flowlayer.encode(flowlayer.decode(sent)) == sent


@settings(max_examples=fewer(50, 80), deadline=None)
@given(
    strata_messages.filter(
        lambda value: not any(d.severity.value == "error" for d in strata.validate(value, profile="strict"))
    )
)
def test_strata_messages_come_back_as_they_went(value: dict[str, Any]) -> None:
    sent = strata.encode(value)
    default = {"client": "unknown"} if value.get("messageType") in ("request", "post") else {}
    assert strata.decode(sent) == default | value
    assert strata.encode(strata.decode(sent)) == sent


@settings(max_examples=150, deadline=None)
@given(st.lists(phpmq_messages, max_size=4), st.integers(1, 80))
def test_phpmq_messages_come_back_as_they_went_split_anywhere(values: list[PacketMessage], size: int) -> None:
    raw = b"".join(map(phpmq.encode, values))
    found = list(frames(phpmq.decoder(), [raw[at : at + size] for at in range(0, len(raw), size)]))
    assert [one.value for one in found if isinstance(one, Frame)] == values
    assert b"".join(one.raw for one in found) == raw
    assert [parse(value).packets() for value in values] == values
    assert [phpmq.from_json(json.loads(json.dumps(phpmq.to_json(value)))) for value in values] == values
    spans = list(phpmq.spans(lambda offset, length: raw[offset : offset + length], len(raw)))
    assert spans == [(one.offset, one.offset + len(one.raw)) for one in found if isinstance(one, Frame)]


@pytest.mark.parametrize("profile", ["strict", "compat"])
def test_headers_alone_split_a_stream_as_the_decoder_does(profile: Any) -> None:
    for seed in range(800):
        raw = damaged(random.Random(seed), "phpmq")
        spans = list(phpmq.spans(lambda at, n, raw=raw: raw[at : at + n], len(raw), profile=profile))  # type: ignore[misc]
        events = list(frames(phpmq.decoder(profile=profile), [raw]))
        borders = [(one.offset, one.offset + len(one.raw)) for one in events if isinstance(one, Frame)]
        # The decoder also reads the contents of counts and TTLs, so it may stop where the headers do not.
        assert [span for span in spans if isinstance(span, tuple)][: len(borders)] == borders
        last = events[-1] if events else None
        if isinstance(last, WireError) and last.code != "invalid_integer":
            assert isinstance(spans[-1], WireError)
            assert (spans[-1].code, spans[-1].offset) == (last.code, last.offset)


def test_splitting_by_headers_reads_headers_only() -> None:
    value = PacketMessage(1, b"q", content=b"x" * 100_000, ttl=0)
    raw = phpmq.encode(value) * 3
    asked: list[int] = []

    def read_at(offset: int, length: int) -> bytes:
        asked.append(length)
        return raw[offset : offset + length]

    assert len(list(phpmq.spans(read_at, len(raw)))) == 3
    assert asked == [40, 32, 32] * 3


def test_an_absurd_length_is_refused_with_40_octets_in_memory() -> None:
    decoder = phpmq.decoder()
    assert decoder.feed(b"H0100103P01" + b"0" * 20) == []
    assert decoder.needed == 9
    (error,) = decoder.feed(b"999999999")
    assert isinstance(error, WireError)
    assert (error.code, error.offset) == ("too_large", 11)
    assert decoder.stopped
    assert decoder.feed(phpmq.encode(PacketMessage(2, b"q", message_count=1))) == []
    assert (decoder.needed, decoder.close()) == (0, [])


@pytest.mark.parametrize("over", [0, 1])
def test_the_limit_of_a_phpmq_message_is_exact(over: int) -> None:
    fixed = len(phpmq.encode(PacketMessage(1, b"q", content=b"", ttl=0)))
    content = b"x" * (packet_limits.message_bytes - fixed + over)
    raw = b"H0100103" + b"P01%029dq" % 1 + b"P02%029d" % len(content) + content + b"P05%029d0" % 1
    (event,) = frames(phpmq.decoder(), [raw])
    assert (event.code if isinstance(event, WireError) else None) == ("too_large" if over else None)


class CountingBuffer:
    """Bytes that a decoder holds: what was fed, less what came out."""

    def __init__(self, decoder: Any) -> None:
        self.decoder = decoder

    def __len__(self) -> int:
        return len(self.decoder._buffer)


def test_a_long_stream_leaves_no_more_than_one_message_in_memory() -> None:
    message = phpmq.encode(PacketMessage(1, b"q", content=b"x" * 5000, ttl=0))
    decoder = phpmq.decoder()
    held = CountingBuffer(decoder)
    count = 0
    stream = message * 20
    for _ in range(40):
        for at in range(0, len(stream), 7_001):
            count += len(decoder.feed(stream[at : at + 7_001]))
            assert len(held) < len(message)
    assert count == 800


@pytest.mark.parametrize("name", ["flowlayer", "strata", "babelqueue"])
def test_a_line_beyond_the_limit_is_cut_and_costs_no_other(name: str) -> None:
    wire = FORMATS[name]
    limit = wire.limits.message_bytes
    decoder = wire.decoder()
    good = b'{"a":1}\n'
    found = list(decoder.feed(good + b'{"a":"'))
    for _ in range(limit // 1_000_000 + 2):
        found += decoder.feed(b"x" * 1_000_000)
    found += decoder.feed(b'"}\n' + good)
    found += decoder.close()
    assert [type(one) for one in found] == [Frame, WireError, Frame]
    assert isinstance(found[1], WireError)
    assert found[1].code == "too_large"
    assert len(found[1].raw) <= limit + 2
    assert found[2].line == 3


def test_offsets_count_what_was_cut_off() -> None:
    lines = Lines(4)
    found = lines.feed(b"ab\n123456") + lines.feed(b"789\ncd\n") + lines.feed(b"last") + lines.close()
    assert found == [(b"ab", 0, 1), (b"12345", 3, 2), (b"cd", 13, 3), (b"last", 16, 4)]


@pytest.mark.parametrize("name", ["flowlayer", "strata", "babelqueue"])
def test_a_whole_file_is_one_message(name: str) -> None:
    wire = FORMATS[name]
    raw = b'{\n "a": [1,\n\n2]}\n'
    decoder = wire.decoder(whole=True)
    assert decoder.feed(raw[:5]) + decoder.feed(raw[5:]) == []
    (frame,) = decoder.close()
    assert isinstance(frame, Frame)
    assert (frame.raw, frame.offset) == (raw, 0)
    (error,) = frames(wire.decoder(whole=True), [b"{", b"\n"])
    assert isinstance(error, WireError)


@pytest.mark.parametrize("data", [[], [b""], [b" \n"]], ids=["nothing", "no bytes", "blanks"])
def test_an_empty_file_is_an_empty_frame_of_flowlayer_and_no_message_of_strata(data: list[bytes]) -> None:
    (error,) = frames(FORMATS["flowlayer"].decoder(whole=True), data)
    assert isinstance(error, WireError)
    assert error.code == "invalid_json"
    assert list(frames(FORMATS["strata"].decoder(whole=True), data)) == []


def test_a_frame_shows_no_content() -> None:
    frame = Frame({"auth": "S3CRET"}, b"S3CRET", 3, 1)
    assert "S3CRET" not in f"{frame} {frame!r}"
    assert repr(phpmq.decode(phpmq.encode(PacketMessage(1, b"q", content=b"S3CRET", ttl=0)))) == "PacketMessage(type=1)"


def test_babelqueue_has_a_reader_and_a_producer_profile() -> None:
    envelope = babelqueue.decode(INPUTS["babelqueue"][1].strip())
    assert babelqueue.validate(envelope) == babelqueue.validate(envelope, profile="strict") == []


@pytest.mark.parametrize("name", ["flowlayer", "strata"])
def test_a_message_as_deep_as_the_parser_reads_is_written_and_bridged(name: str) -> None:
    payload = b'{"x":' + b"[" * 1015 + b"]" * 1015 + b"}"
    heads = {
        "flowlayer": b'{"type":"event","name":"a","payload":',
        "strata": b'{"id":"a","command":"toobusy","payload":',
    }
    raw = heads[name] + payload + b"}"
    wire = FORMATS[name]
    value = wire.decode(raw)
    assert wire.validate(value) == []
    assert wire.encode(value) == raw
    assert wire.mask(raw) == raw
    body = wire.to_canonical(Frame(value, raw), RECEIPT).body
    assert body is not None
    assert payload in body
    assert payload in wire.encode(wire.from_canonical(body).value)
