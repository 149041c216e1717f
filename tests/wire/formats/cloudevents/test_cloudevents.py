"""CloudEvents 1.0.2, case by case after its specification; and the project's own package as the foreign end."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from each import each
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.contract import emit
from babelreg.schema.dialects import identify
from babelreg.wire.format import Frame, Receipt, WireError, frames
from babelreg.wire.formats import cloudevents
from babelreg.wire.mapping import UNMAPPED, UrnMapping
from babelreg.wire.message_headers import Header, pack

NAMESPACE = uuid.UUID("6f1d6c1e-2f0b-5f5c-9a53-7d2c1b0d9e11")
RECEIPT = Receipt("file:0", 1_750_000_000_000)
EVENT = {
    "specversion": "1.0",
    "id": "A234-1234-1234",
    "source": "/cloudevents/spec/pull",
    "type": "urn:babel:orders:created",
    "time": "2018-04-05T17:31:00Z",
    "data": {"order_id": 1},
}
HEADERS: list[Header] = [
    ("ce_specversion", b"1.0"), ("ce_id", b"1"), ("ce_source", b"/shop"), ("ce_type", b"urn:babel:orders:created"),
    ("ce_time", b"2018-04-05T17:31:00Z"), ("ce_shard", b"7"), ("content-type", b"application/json; charset=utf-8"),
]  # fmt: skip


def changed(**members: Any) -> dict[str, Any]:
    """The event with other members, and without those that are ``...``."""
    return {name: value for name, value in {**EVENT, **members}.items() if value is not ...}


def canonical(value: dict[str, Any], mapping: UrnMapping = UNMAPPED) -> dict[str, Any]:
    body = cloudevents.to_canonical(Frame(value, json.dumps(value).encode()), RECEIPT, mapping=mapping).body
    assert body is not None
    assert emit.fault(json.loads(body)) is None
    return json.loads(body)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "value, strict, compat",
    [
        pytest.param(EVENT, [], [], id="all attributes of the specification's example"),
        pytest.param(changed(specversion=...), ["missing_attribute"], ["missing_attribute"], id="no specversion"),
        pytest.param(changed(specversion="0.3"), ["unsupported_specversion"], ["unsupported_specversion"], id="0.3"),
        pytest.param(changed(specversion=1.0), ["wrong_type"], ["wrong_type"], id="a number for specversion"),
        pytest.param(changed(id=...), ["missing_attribute"], ["missing_attribute"], id="no id"),
        pytest.param(changed(id=""), ["missing_attribute"], ["missing_attribute"], id="an empty id"),
        pytest.param(changed(id=5), ["wrong_type"], ["wrong_type"], id="a number for an id"),
        pytest.param(changed(source=""), ["missing_attribute"], ["missing_attribute"], id="an empty source"),
        pytest.param(changed(source="a b"), ["invalid_uri"], ["invalid_uri"], id="a blank in a source"),
        pytest.param(changed(source="/bücher"), ["invalid_uri"], [], id="a source beyond ASCII"),
        pytest.param(changed(source="urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66"), [], [], id="a URN for a source"),
        pytest.param(changed(source="1-555-123-4567"), [], [], id="a relative reference for a source"),
        pytest.param(changed(type=...), ["missing_attribute"], ["missing_attribute"], id="no type"),
        pytest.param(changed(type=" "), ["missing_attribute"], ["missing_attribute"], id="a blank type"),
        pytest.param(changed(datacontenttype="text"), ["invalid_content_type"], ["invalid_content_type"], id="no media type"),
        pytest.param(changed(datacontenttype="application/json; charset=utf-8"), [], [], id="a media type with a parameter"),
        pytest.param(changed(dataschema="/relative"), ["invalid_uri"], ["invalid_uri"], id="a relative dataschema"),
        pytest.param(changed(dataschema="https://schemas.example/1"), [], [], id="a dataschema"),
        pytest.param(changed(subject=""), ["missing_attribute"], [], id="an empty subject"),
        pytest.param(changed(subject=None), [], [], id="null counts as absent"),
        pytest.param(changed(time="2018-04-05 17:31"), ["invalid_time"], ["invalid_time"], id="a time without zone"),
        pytest.param(changed(time="2018-02-30T00:00:00Z"), ["invalid_time"], ["invalid_time"], id="a day that is none"),
        pytest.param(changed(time=...), [], [], id="time is optional"),
        pytest.param(changed(comexampleothervalue=5), [], [], id="an extension"),
        pytest.param(changed(flag=True, text="x"), [], [], id="extensions of other types"),
        pytest.param(changed(big=2**31), ["wrong_type"], ["wrong_type"], id="an integer beyond 32 bits"),
        pytest.param(changed(part=1.5), ["wrong_type"], ["wrong_type"], id="a fraction"),
        pytest.param(changed(nested={}), ["wrong_type"], ["wrong_type"], id="an object for an extension"),
        pytest.param(changed(camelCase="x"), ["invalid_attribute_name"], [], id="a name in camel case"),
        pytest.param(changed(**{"a-b": "x"}), ["invalid_attribute_name"], ["invalid_attribute_name"], id="a dash in a name"),
        pytest.param(changed(data=..., data_base64="AAA="), [], [], id="binary data"),
        pytest.param(changed(data_base64="AAA="), ["two_payloads"], ["two_payloads"], id="both kinds of data"),
        pytest.param(changed(data=..., data_base64="*"), ["invalid_base64"], ["invalid_base64"], id="no base64"),
        pytest.param(changed(data=..., data_base64=5), ["wrong_type"], ["wrong_type"], id="a number for base64"),
        pytest.param(changed(data=...), [], [], id="no data"),
    ],
)  # fmt: skip
def test_an_event_is_held_to_the_specification(value: dict[str, Any], strict: list[str], compat: list[str]) -> None:
    for profile, codes in (("strict", strict), ("compat", compat)):
        found = cloudevents.validate(value, profile=profile)  # type: ignore[arg-type]
        assert [one.code for one in found if one.severity.value == "error"] == codes
        assert {one.code for one in found} <= set(cloudevents.CODES)


def test_a_long_name_is_a_warning_to_writers() -> None:
    (found,) = cloudevents.validate(changed(anattributethatislong="x"), profile="strict")
    assert (found.code, found.severity.value) == ("long_attribute_name", "warning")


@each("profile", ["strict", "compat"])
@each("member", [*EVENT, "subject", "myext", "data_base64", "camelCase", "datacontenttype"])
@each("item", [None, 5, "", "x", [], {}, True, -1, 2**40, 1.5])
def test_what_the_checks_refuse_for_its_type_the_schema_refuses(member: str, item: Any, profile: Any) -> None:
    value = changed(**{member: item})
    schema = cloudevents.schema(profile)
    shaped = {"missing_attribute", "wrong_type", "invalid_attribute_name"}
    wrong = [one for one in cloudevents.validate(value, profile=profile) if one.severity.value == "error"]
    if identify(schema).validator_for(schema).is_valid(value):
        assert [one for one in wrong if one.code in shaped and one.pointer != "/subject"] == []
    else:
        assert wrong


@pytest.mark.parametrize(
    "value, code, where",
    [
        pytest.param(changed(time=...), "missing_time", "/time", id="no time"),
        pytest.param(changed(data=..., data_base64="AAA="), "binary_data", "/data_base64", id="binary data"),
        pytest.param(changed(datacontenttype="text/xml", data="<a/>"), "content_type_not_json", "/datacontenttype", id="XML"),
        pytest.param(changed(data=[1]), "data_not_an_object", "/data", id="a list"),
        pytest.param(changed(data="x"), "data_not_an_object", "/data", id="a text"),
        pytest.param(changed(id=...), "missing_attribute", "/id", id="a defect"),
        pytest.param(changed(data={"n": 2**70}), "not_an_int64", "/data/n", id="an integer that does not fit into 64 bits"),
    ],
)  # fmt: skip
def test_an_event_that_no_envelope_holds_has_a_reason_of_its_own(value: dict[str, Any], code: str, where: str) -> None:
    with pytest.raises(WireError) as refused:
        canonical(value)
    assert (refused.value.code, refused.value.pointer) == (code, where)
    assert code in cloudevents.CODES


def test_an_event_without_time_has_that_of_its_receipt_where_the_settings_say_so() -> None:
    mapping = cloudevents.names.mapping({"time": "received"}, {})
    meta = canonical(changed(time=...), mapping)["meta"]
    assert (meta["created_at"], meta["ext"]["cloudevents"]["received_from"]) == (RECEIPT.received_at, "argument")


def test_the_identity_is_source_and_id() -> None:
    same, other, swapped = (
        changed(data={}),
        changed(source="/other"),
        changed(source="A234-1234-1234", id="/cloudevents/spec/pull"),
    )
    ids = [canonical(value)["meta"]["id"] for value in (EVENT, same, other, swapped)]
    assert ids[0] == ids[1] == str(uuid.uuid5(NAMESPACE, 'cloudevents:["/cloudevents/spec/pull", "A234-1234-1234"]'))
    assert len(set(ids)) == 3


@pytest.mark.parametrize(
    "extensions, trace_id",
    [
        pytest.param({"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
                     "0af76519-16cd-43dd-8448-eb211c80319c", id="of distributed tracing"),
        pytest.param({"babeltraceid": "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b"}, "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b",
                     id="of an envelope"),
        pytest.param({"correlationid": "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b"}, "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b",
                     id="of a correlation"),
    ],
)  # fmt: skip
def test_a_trace_goes_on(extensions: dict[str, str], trace_id: str) -> None:
    assert canonical(changed(**extensions))["trace_id"] == trace_id


@pytest.mark.parametrize("parent", ["00-00000000000000000000000000000000-b7ad6b7169203331-01", "x", ""])
def test_a_trace_that_is_none_is_made_of_the_identity(parent: str) -> None:
    assert canonical(changed(traceparent=parent))["trace_id"] == canonical(EVENT)["trace_id"]


_values = (
    st.none() | st.booleans() | st.integers(-(2**31), 2**31 - 1) | st.text(st.characters(exclude_categories=["Cs"]))
)
_events = st.builds(
    lambda extensions, data, time: {**EVENT, **extensions, **data, "time": time},
    st.dictionaries(st.sampled_from(["myext", "subject2", "traceparent", "correlationid"]), _values.filter(lambda x: x is not None)),
    st.sampled_from([{"data": {}}, {"data": {"a": [1, None, "x"]}}, {"data": None}]),
    st.sampled_from(["2018-04-05T17:31:00Z", "2018-04-05T17:31:00.123Z", "2018-04-05T19:31:00.123456+02:00", "1969-01-01T00:00:00Z"]),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(_events, st.booleans())
def test_there_and_back_is_the_identity(value: dict[str, Any], absent: bool) -> None:
    if absent:
        value = {name: member for name, member in value.items() if name != "data"}
    body = json.dumps(canonical(value)).encode()
    assert cloudevents.from_canonical(body).value == value


@settings(max_examples=60, deadline=None)
@given(st.uuids(), st.uuids(), st.text("abc._-/ü", min_size=1, max_size=9), st.integers(0, 4_000_000_000_000))
def test_an_envelope_keeps_id_trace_queue_and_time(identity: Any, trace: Any, queue: str, created_at: int) -> None:
    envelope = emit.make("urn:babel:a:b", {"x": 1}, queue=queue, lang="go", trace_id=str(trace))
    envelope["meta"] |= {"id": str(identity), "created_at": created_at}
    foreign = cloudevents.from_canonical(json.dumps(envelope).encode())
    assert [one.pointer for one in foreign.losses] == ["/meta/lang"]
    again = canonical(json.loads(cloudevents.encode(foreign.value)))
    if str(identity) != str(trace):
        assert again["trace_id"] == envelope["trace_id"]
    for name in ("id", "queue", "created_at"):
        assert again["meta"][name] == envelope["meta"][name]
    assert (again["job"], again["data"]) == (envelope["job"], envelope["data"])


BATCH = [EVENT, changed(id="2"), changed(id="3", data={"a": "],[", "b": [{}]})]


@pytest.mark.parametrize(
    "raw, ids",
    [
        pytest.param(json.dumps(BATCH).encode(), [EVENT["id"], "2", "3"], id="a batch"),
        pytest.param(b" [ ]", [], id="an empty batch"),
        pytest.param(b"[" + json.dumps(EVENT).encode() + b",{},5]", [EVENT["id"], None, "root_not_an_object"],
                     id="a wrong item costs no other"),
        pytest.param(b"[" + json.dumps(EVENT).encode() + b",]", [EVENT["id"], "invalid_json"], id="a comma too many"),
        pytest.param(b'[{"id": "1"}, {"id": ', ["invalid_json"], id="a batch cut short"),
        pytest.param(b'[{"id": "1"}}]', ["invalid_json"], id="brackets that do not match"),
        pytest.param(json.dumps(EVENT).encode(), [EVENT["id"]], id="an event"),
    ],
)  # fmt: skip
def test_a_batch_is_divided(raw: bytes, ids: list[Any]) -> None:
    found: list[Any] = []
    for event in frames(cloudevents.decoder(), [raw[:7], raw[7:], b"\n"]):
        found.append(event.code if isinstance(event, WireError) else event.value.get("id"))
        if isinstance(event, Frame):
            assert raw[event.offset : event.offset + len(event.raw)] == event.raw
            assert event.line == 1
    assert found == ids


def test_a_batch_that_is_printed_is_a_whole_file() -> None:
    raw = json.dumps(BATCH, indent=1).encode()
    found = list(frames(cloudevents.decoder(whole=True), [raw]))
    assert [(one.value["id"], raw[: one.offset].count(b"\n") + 1) for one in found if isinstance(one, Frame)] == [
        (value["id"], one.line) for value, one in zip(BATCH, found, strict=True)
    ]


@pytest.mark.parametrize(
    "headers, body, expected",
    [
        pytest.param(HEADERS, b'{"order_id":1}', {"data": {"order_id": 1}, "id": "1", "shard": "7"}, id="Kafka"),
        pytest.param([(f"ce-{name[3:]}" if name.startswith("ce_") else name, value) for name, value in HEADERS],
                     b'{"order_id":1}', {"data": {"order_id": 1}, "id": "1"}, id="HTTP"),
        pytest.param([(f"cloudEvents:{name[3:]}" if name.startswith("ce_") else name, value) for name, value in HEADERS],
                     b"{}", {"data": {}, "id": "1"}, id="AMQP"),
        pytest.param([*HEADERS[:-1], ("content-type", b"text/plain")], b"x", {"data_base64": "eA=="}, id="text"),
        pytest.param(HEADERS[:-1], b"\xff", {"data_base64": "/w=="}, id="bytes without content type"),
        pytest.param(HEADERS[:-1], b"[1]", {"data": [1]}, id="JSON without content type"),
        pytest.param(HEADERS, b"", {}, id="no data"),
        pytest.param([*HEADERS, ("ce_gone", None)], b"{}", {"data": {}}, id="a header without value"),
        pytest.param([("content-type", b"application/cloudevents+json")], json.dumps(EVENT).encode(), EVENT, id="structured"),
        pytest.param([("x", b"\xff")], json.dumps(EVENT).encode(), EVENT, id="headers that say nothing"),
    ],
)  # fmt: skip
def test_the_modes_of_a_message_with_headers(headers: list[Header], body: bytes, expected: dict[str, Any]) -> None:
    value = cloudevents.decode(pack(headers, body))
    assert expected.items() <= value.items()
    assert ("data" in value) == ("data" in expected)


@pytest.mark.parametrize(
    "raw, code",
    [
        pytest.param(pack(HEADERS, b"{"), "invalid_json", id="data that is not JSON"),
        pytest.param(pack([("content-type", b"application/json")], b"{}"), "not_an_event", id="no attributes"),
        pytest.param(pack([("content-type", b"application/cloudevents-batch+json")], b"[]"), "batch_not_divided", id="a batch"),
        pytest.param(pack([("ce_id", b"\xff")], b"{}"), "invalid_headers", id="an attribute that is not UTF-8"),
        pytest.param(b"\0\0\0\x05[[[", "invalid_headers", id="headers cut short"),
        pytest.param(b"\0\0\0\x02{}", "invalid_headers", id="headers that are no array"),
        pytest.param(b'\0\0\0\x07[["a"]]', "invalid_headers", id="a header without value"),
        pytest.param(b'\0\0\0\x18[["a",{"base64":"*"}]]\n\n\n', "invalid_headers", id="a header that is not base64"),
        pytest.param(b"[]", "batch_not_divided", id="a batch where one event belongs"),
        pytest.param(b"5", "root_not_an_object", id="a number"),
        pytest.param(b"\0", "invalid_json", id="one byte"),
    ],
)  # fmt: skip
def test_a_damaged_message_has_a_reason(raw: bytes, code: str) -> None:
    with pytest.raises(WireError) as refused:
        cloudevents.decode(raw)
    assert refused.value.code == code
    assert code in cloudevents.CODES


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=40) | st.builds(pack, st.just(HEADERS), st.binary(max_size=20)),
    st.integers(0, 400),
    st.binary(max_size=2),
)
def test_no_bytes_are_a_bug(raw: bytes, at: int, inserted: bytes) -> None:
    raw = raw[:at] + inserted + raw[at:]
    for part, _ in cloudevents.divide(raw):
        try:
            value = cloudevents.decode(part)
            cloudevents.to_canonical(Frame(value, part), RECEIPT)
        except WireError as err:
            assert err.code in cloudevents.CODES


class TestTheProjectsPackage:
    """The foreign end: what ``cloudevents`` writes is read, and the reverse."""

    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("cloudevents.core.bindings.kafka", reason="the extra dev installs cloudevents")

    def made(self, **attributes: Any) -> Any:
        from cloudevents.core.v1.event import CloudEvent

        return CloudEvent(
            {"type": EVENT["type"], "source": "/shop", "id": "7", "shard": "x", **attributes}, {"order_id": 7}
        )

    @pytest.mark.parametrize("mode", ["binary", "structured"])
    def test_its_kafka_messages_are_read(self, mode: str) -> None:
        from cloudevents.core.bindings import kafka

        written = (kafka.to_binary_event if mode == "binary" else kafka.to_structured_event)(self.made())
        value = cloudevents.decode(pack(list(written.headers.items()), written.value))
        assert cloudevents.validate(value, profile="strict") == []
        envelope = canonical(value)
        assert envelope["data"] == {"order_id": 7}
        assert envelope["meta"]["ext"]["cloudevents"]["shard"] == "x"
        assert envelope["meta"]["id"] == canonical(changed(source="/shop", id="7"))["meta"]["id"]

    def test_its_http_messages_are_read(self) -> None:
        from cloudevents.core.bindings import http

        written = http.to_binary_event(self.made(subject="Käse 100%"))
        headers = [(name, text.encode()) for name, text in written.headers.items()]
        value = cloudevents.decode(pack(headers, written.body))
        assert (value["subject"], value["data"]) == ("Käse 100%", {"order_id": 7})

    def test_it_reads_what_the_codec_writes(self) -> None:
        from cloudevents.core.bindings import kafka

        from babelreg.runtime.wires.cloudevents import CloudEvent, binary, encode

        event = CloudEvent(
            "7", "/shop", str(EVENT["type"]), {"order_id": 7}, "2018-04-05T17:31:00Z", "application/json", {"shard": 5}
        )
        headers, body = binary(event)
        for message in (
            kafka.KafkaMessage(dict(headers), None, body),
            kafka.KafkaMessage({"content-type": b"application/cloudevents+json"}, None, encode(event)),
        ):
            read = kafka.from_kafka_event(message)
            assert (read.get_id(), read.get_source(), read.get_type()) == ("7", "/shop", EVENT["type"])
            assert read.get_data() == {"order_id": 7}
            assert str(read.get_extension("shard")) == "5"
