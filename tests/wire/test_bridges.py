"""Laws of the bridges: there and back is the identity, less what is listed as lost; the same input gives the same rows."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.contract import Contract, emit
from babelreg.contract.verdict import decode
from babelreg.schema import pointer
from babelreg.wire.bridge import instant, iso_instant
from babelreg.wire.format import Format, Frame, Receipt, WireError
from babelreg.wire.formats import babelqueue, flowlayer, phpmq, strata
from babelreg.wire.formats.phpmq.models import PacketMessage
from babelreg.wire.formats.strata.secrets import without_secrets
from babelreg.wire.formats.table import FORMATS
from babelreg.wire.mapping import UrnMapping

from .generated import canonical_bodies, flowlayer_messages, names, phpmq_messages, strata_messages

RECEIPT = Receipt("file:0", 1_750_000_000_000, "argument")
EXAMPLES = settings(max_examples=40, deadline=None)


def json_frame(value: dict[str, Any]) -> Frame:
    return Frame(value, json.dumps(value).encode())


def strict_producer_envelope(body: bytes) -> dict[str, Any]:
    document = json.loads(body)
    assert emit.fault(document) is None
    assert not Contract({}).verdict(body).envelope.warnings  # type: ignore[union-attr]
    return document


@EXAMPLES
@given(flowlayer_messages)
def test_flowlayer_there_and_back_is_the_identity(value: dict[str, Any]) -> None:
    body = flowlayer.to_canonical(json_frame(value), RECEIPT).body
    assert body is not None
    strict_producer_envelope(body)
    assert flowlayer.from_canonical(body).value == value


@EXAMPLES
@given(strata_messages)
def test_strata_there_and_back_is_the_identity_without_secrets(value: dict[str, Any]) -> None:
    canonical = strata.to_canonical(json_frame(value), RECEIPT)
    assert canonical.body is not None
    assert b"S3CRET" not in canonical.body
    strict_producer_envelope(canonical.body)
    bare, secrets = without_secrets(value)
    assert [one.pointer for one in canonical.losses] == secrets
    assert strata.from_canonical(canonical.body).value == bare


@EXAMPLES
@given(phpmq_messages)
def test_phpmq_there_and_back_is_the_identity(value: PacketMessage) -> None:
    canonical = phpmq.to_canonical(Frame(value, phpmq.encode(value)), RECEIPT)
    if canonical.body is None:
        assert value.type in (2, 4, 5, 6)
    else:
        strict_producer_envelope(canonical.body)
        assert phpmq.from_canonical(canonical.body).value == value


@EXAMPLES
@given(canonical_bodies(names.map(lambda name: f"urn:babel:orders:{name}")))
def test_a_phpmq_carrier_keeps_every_byte(body: bytes) -> None:
    value = phpmq.from_canonical(body, carrier=True).value
    assert phpmq.to_canonical(Frame(value, phpmq.encode(value)), RECEIPT).body == body


def without(document: dict[str, Any], pointers: list[str], format_name: str) -> dict[str, Any]:
    document = copy.deepcopy(document)
    for spelled in [*pointers, f"/meta/ext/{format_name}"]:
        *above, last = pointer.parse(spelled)
        try:
            pointer.find(document, tuple(above)).pop(last, None)
        except KeyError:
            continue
    if document["meta"].get("ext") == {}:
        del document["meta"]["ext"]
    return document


def check_there_and_back(wire: Format, body: bytes) -> None:
    before = json.loads(body)
    foreign = wire.from_canonical(body)
    again = wire.to_canonical(Frame(foreign.value, wire.encode(foreign.value)), RECEIPT)
    assert again.body is not None
    lost = [one.pointer for one in foreign.losses]
    assert without(json.loads(again.body), lost, wire.name) == without(before, lost, wire.name)


_FLOWLAYER_JOBS = st.one_of(
    names.map(lambda name: f"urn:babel:flowlayer:command.{name}"),
    names.map(lambda name: f"urn:babel:flowlayer:event.{name}"),
)
_STRATA_JOBS = names.filter(lambda name: not name.endswith(".response")).map(lambda name: f"urn:babel:orders:{name}")


@EXAMPLES
@given(canonical_bodies(_FLOWLAYER_JOBS))
def test_an_envelope_through_flowlayer_is_the_same_less_the_losses(body: bytes) -> None:
    check_there_and_back(flowlayer, body)


@EXAMPLES
@given(canonical_bodies(_STRATA_JOBS))
def test_an_envelope_through_strata_is_the_same_less_the_losses(body: bytes) -> None:
    check_there_and_back(strata, body)


@EXAMPLES
@given(canonical_bodies(_STRATA_JOBS))
def test_strata_carries_what_it_has_no_field_for_in_its_metadata(body: bytes) -> None:
    document, value = json.loads(body), strata.from_canonical(body).value
    kept = value["metadata"]["babelqueue"]
    assert (kept["attempts"], kept["meta"]) == (document["attempts"], document["meta"])
    assert kept.get("dead_letter") == document.get("dead_letter")
    assert len(value["id"]) == 20
    assert value["id"].isalnum()


def test_the_canonical_format_is_its_own_bridge() -> None:
    body = b'{"job":"urn:a","x":1.10}'
    assert babelqueue.to_canonical(Frame(None, body), RECEIPT).body is body


@EXAMPLES
@given(st.one_of(flowlayer_messages.map(lambda v: ("flowlayer", v)), strata_messages.map(lambda v: ("strata", v))))
def test_the_same_receipt_gives_the_same_envelope(case: tuple[str, dict[str, Any]]) -> None:
    wire, frame = FORMATS[case[0]], json_frame(case[1])
    assert wire.to_canonical(frame, RECEIPT) == wire.to_canonical(frame, RECEIPT)
    masked = wire.mask(frame.raw)  # what is stored of a message, and redriven
    assert wire.to_canonical(Frame(wire.decode(masked), masked), RECEIPT).body == wire.to_canonical(frame, RECEIPT).body


@pytest.mark.parametrize("name", ["flowlayer", "phpmq"])
def test_equal_messages_without_an_id_differ_by_their_occurrence(name: str) -> None:
    wire = FORMATS[name]
    value: Any = (
        {"type": "event", "name": "log"} if name == "flowlayer" else PacketMessage(1, b"q", content=b"x", ttl=0)
    )
    frame = Frame(value, wire.encode(value))
    ids = [json.loads(wire.to_canonical(frame, RECEIPT._replace(occurrence=at)).body or b"") for at in ("1", "2")]
    assert ids[0]["meta"]["id"] != ids[1]["meta"]["id"]
    assert ids[0]["trace_id"] != ids[1]["trace_id"]
    assert ids[0]["trace_id"] != ids[0]["meta"]["id"]


@pytest.mark.parametrize("clock", ["argument", "mtime", "now"])
def test_a_receive_time_is_marked_with_its_source(clock: Any) -> None:
    body = flowlayer.to_canonical(json_frame({"type": "event", "name": "log"}), RECEIPT._replace(clock=clock)).body
    meta = json.loads(body or b"")["meta"]
    assert (meta["created_at"], meta["ext"]["flowlayer"]["received_from"]) == (RECEIPT.received_at, clock)


def test_a_time_of_the_message_itself_is_not_marked() -> None:
    event = {"type": "event", "name": "log", "payload": {"timestamp": "2026-04-25T10:00:00Z"}}
    meta = json.loads(flowlayer.to_canonical(json_frame(event), RECEIPT).body or b"")["meta"]
    assert meta["created_at"] == 1777111200000
    assert "received_from" not in meta["ext"]["flowlayer"]


STRATA = {"id": "a", "messageType": "request", "context": "Orders", "operation": "createOrder", "timestamp": "t"}
ENVELOPE = emit.encode(emit.make("urn:babel:orders:created", {}, queue="q"))


@pytest.mark.parametrize(
    "name, value, code, where",
    [
        pytest.param("flowlayer", {"type": "command", "id": "a", "name": "Fly"}, "unmapped_name", "/name", id="capital letters"),
        pytest.param("flowlayer", {"type": "event", "name": "a b"}, "unmapped_name", "/name", id="a blank in an event"),
        pytest.param("flowlayer", {"type": "ack", "id": "a"}, "invalid_payload", "/payload/accepted", id="a defect"),
        pytest.param("strata", STRATA, "unmapped_name", "/context", id="a context in capital letters"),
        pytest.param("strata", {**STRATA, "context": "orders"}, "unmapped_name", "/operation", id="camel case"),
        pytest.param("strata", {**STRATA, "context": "orders", "operation": "a.response"}, "unmapped_name", "/operation",
                     id="an operation that looks like a response"),
        pytest.param("strata", {**STRATA, "context": "strata", "operation": "command.info"}, "unmapped_name", "/operation",
                     id="an operation that looks like a command"),
        pytest.param("phpmq", PacketMessage(1, b"Foo", content=b"x", ttl=0), "unmapped_name", "/queue", id="a queue"),
        pytest.param("phpmq", PacketMessage(1, b"\xff", content=b"x", ttl=0), "unmapped_name", "/queue", id="a queue of octets"),
        pytest.param("phpmq", PacketMessage(1, b"", content=b"x", ttl=0), "unmapped_name", "/queue", id="no queue name"),
    ],
)  # fmt: skip
def test_a_name_that_makes_no_urn_is_an_error_not_a_slug(name: str, value: Any, code: str, where: str) -> None:
    with pytest.raises(WireError) as refused:
        FORMATS[name].to_canonical(Frame(value, b"raw"), RECEIPT)
    assert (refused.value.code, refused.value.pointer) == (code, where)
    assert refused.value.code in FORMATS[name].CODES


def test_the_mapping_comes_before_the_mechanical_default() -> None:
    mapping = UrnMapping.of(
        {"Orders": {"createOrder": {"request": "urn:babel:orders:create", "response": "urn:babel:orders:answer"}}}
    )
    request = json_frame({**STRATA, "timestamp": "2024-06-25T04:08:22.000Z"})
    body = strata.to_canonical(request, RECEIPT, mapping=mapping).body
    assert json.loads(body or b"")["job"] == "urn:babel:orders:create"
    assert strata.from_canonical(body or b"", mapping=mapping).value == request.value
    fresh = emit.encode(emit.make("urn:babel:orders:create", {}, queue="q"))
    value = strata.from_canonical(fresh, mapping=mapping).value
    assert (value["context"], value["operation"], value["messageType"]) == ("Orders", "createOrder", "post")


def test_data_of_a_mapped_response_is_its_payload() -> None:
    mapping = UrnMapping.of({"Orders": {"createOrder": {"response": "urn:babel:orders:answer"}}})
    response = {**STRATA, "messageType": "response", "timestamp": "2024-06-25T04:08:22.000Z", "payload": {"number": 7},
                "status": "succeeded", "messages": [], "service": "Orders v1"}  # fmt: skip
    for name in ("metadata", "client", "responseQueue"):
        response.pop(name, None)
    body = strata.to_canonical(json_frame(response), RECEIPT, mapping=mapping).body or b""
    assert json.loads(body)["data"] == {"number": 7}
    assert strata.from_canonical(body, mapping=mapping).value == response
    failed = json_frame({**response, "status": "failed", "payload": {}})
    assert strata.to_canonical(failed, RECEIPT, mapping=mapping).body is None


@pytest.mark.parametrize(
    "name, urn, code",
    [
        pytest.param("flowlayer", "urn:babel:orders:created", "unmapped_urn", id="not of FlowLayer"),
        pytest.param("flowlayer", "urn:babel:flowlayer:ack", "missing_id", id="an ack without the id of its command"),
        pytest.param("flowlayer", "urn:babel:flowlayer:result", "missing_id", id="a result without the id of its command"),
        pytest.param("strata", "urn:acme:a", "unmapped_urn", id="no context and operation"),
        pytest.param("strata", "urn:babel:orders:created.response", "unmapped_urn", id="a response without its request"),
        pytest.param("strata", "urn:babel:strata:command.info.response", "unmapped_urn", id="a command's response"),
    ],
)  # fmt: skip
def test_an_envelope_that_makes_no_message_is_an_error(name: str, urn: str, code: str) -> None:
    body = emit.encode(emit.make(urn, {}, queue="q"))
    with pytest.raises(WireError) as refused:
        FORMATS[name].from_canonical(body)
    assert refused.value.code == code
    assert refused.value.code in FORMATS[name].CODES


@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b'{"job":5}', b"\xff"])
def test_what_is_no_envelope_is_refused(name: str, body: bytes) -> None:
    if name == "babelqueue" and body in (b"{}", b'{"job":5}'):
        return  # an envelope with defects, which validate names
    with pytest.raises(WireError):
        FORMATS[name].from_canonical(body)


def test_a_carried_envelope_is_unwrapped_and_its_frame_is_lost() -> None:
    value = PacketMessage(3, b"other", ENVELOPE, b"i", ttl=9)
    canonical = phpmq.to_canonical(Frame(value, b""), RECEIPT)
    assert canonical.body == ENVELOPE
    assert {one.pointer for one in canonical.losses} == {"/ttl", "/message_id", "/queue"}
    assert isinstance(decode(canonical.body or b""), type(babelqueue.decode(ENVELOPE)))


def test_a_defective_envelope_is_carried_too_so_that_its_verdict_names_the_defect() -> None:
    body = ENVELOPE.replace(b'"schema_version":1', b'"schema_version":2')
    assert phpmq.to_canonical(Frame(PacketMessage(1, b"Q", content=body, ttl=0), b""), RECEIPT).body == body


@given(st.integers(-62_135_596_800_000, 253_402_300_799_999))
def test_instants_are_exact_to_the_millisecond(milliseconds: int) -> None:
    assert instant(iso_instant(milliseconds)) == milliseconds


@pytest.mark.parametrize(
    "text, milliseconds",
    [
        pytest.param("2024-06-25T04:08:22.000Z", 1719288502000, id="toISOString"),
        pytest.param("2024-06-25T06:08:22+02:00", 1719288502000, id="an offset"),
        pytest.param("2024-06-25T04:08:22.9999Z", 1719288502999, id="finer digits are cut off"),
        pytest.param("2024-06-25t04:08:22z", 1719288502000, id="lower case"),
        pytest.param("2024-06-25", None, id="a day"),
        pytest.param("2024-06-25T04:08:22", None, id="no offset"),
        pytest.param("2024-02-30T00:00:00Z", None, id="no such day"),
        pytest.param("2024-02-30T00:00:00.000Z", None, id="no such day, as toISOString writes it"),
        pytest.param("2024-06-25T24:00:00.000Z", None, id="no such hour"),
        pytest.param("2016-12-31T23:59:60.000Z", None, id="a leap second"),
        pytest.param("2024-W26-2T04:08:22.000Z", None, id="a week"),
        pytest.param("1969-12-31T23:59:59.999Z", -1, id="before 1970"),
        pytest.param("2024-06-25T04:08:22+99:00", None, id="no such offset"),
        pytest.param("２024-06-25T04:08:22Z", None, id="other digits"),
        pytest.param(5, None, id="a number"),
    ],
)  # fmt: skip
def test_instants(text: Any, milliseconds: int | None) -> None:
    assert instant(text) == milliseconds
