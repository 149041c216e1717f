"""JSON without an envelope: what the settings say of a message, and what they do not."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.contract import emit
from babelreg.wire.format import Frame, Receipt, WireError
from babelreg.wire.formats import plain_json
from babelreg.wire.formats.plain_json.members import member, pointer, steps, with_member, without_member

NAMESPACE = uuid.UUID("6f1d6c1e-2f0b-5f5c-9a53-7d2c1b0d9e11")
URN, ALIAS = "urn:babel:web:page.clicked", "Web.Clicked"
DECLARED = {URN: URN, ALIAS: URN}
FIELDS = {"urn": {"field": "type"}, "id": "event_id", "time": "ts", "data": "payload"}
CLICK = {"type": URN, "event_id": "a1", "ts": "2026-11-14T10:00:00Z", "payload": {"x": 1}, "host": "w1"}
RECEIPT = Receipt("f00d:120", 1_750_000_000_000, "mtime", "clicks/2026-11-14.jsonl")


def changed(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in {**CLICK, **members}.items() if value is not ...}


def canonical(value: dict[str, Any], block: dict[str, Any] = FIELDS, receipt: Receipt = RECEIPT) -> dict[str, Any]:
    mapping = plain_json.names.mapping(block, DECLARED)
    body = plain_json.to_canonical(Frame(value, json.dumps(value).encode()), receipt, mapping=mapping).body
    assert body is not None
    assert emit.fault(json.loads(body)) is None
    return json.loads(body)  # type: ignore[no-any-return]


def test_the_members_that_the_settings_name_become_the_envelope() -> None:
    envelope = canonical(CLICK)
    assert (envelope["job"], envelope["data"]) == (URN, {"x": 1})
    assert envelope["meta"]["created_at"] == 1_794_650_400_000
    assert envelope["meta"]["id"] == str(uuid.uuid5(NAMESPACE, f"json:{URN}:a1"))
    assert envelope["meta"]["ext"] == {"json": {"members": {k: v for k, v in CLICK.items() if k != "payload"}}}


def test_a_name_that_nobody_declares_goes_on_as_it_is() -> None:
    assert canonical(changed(type="Web.Gone"))["job"] == "Web.Gone"


def test_one_id_under_a_urn_and_its_alias_is_one_identity() -> None:
    ids = {canonical(changed(type=name))["meta"]["id"] for name in (URN, ALIAS)}
    assert len(ids) == 1
    assert canonical(changed(type="Web.Gone"))["meta"]["id"] not in ids


def test_an_id_that_is_a_uuid_is_the_identity_itself() -> None:
    identity = "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b"
    assert canonical(changed(event_id=identity))["meta"]["id"] == identity
    assert canonical(changed(event_id=5))["meta"]["id"] == canonical(changed(event_id="5"))["meta"]["id"]


def test_without_an_id_the_position_is_the_identity_and_never_the_content() -> None:
    block = {"urn": {"field": "type"}, "data": "payload"}
    first, again = canonical(CLICK, block), canonical(CLICK, block)
    second = canonical(CLICK, block, RECEIPT._replace(occurrence="f00d:240"))
    changed_content = canonical(changed(payload={"x": 2}), block)
    assert first == again
    assert first["meta"]["id"] == changed_content["meta"]["id"] != second["meta"]["id"]
    assert plain_json.names.notes(plain_json.names.mapping(block, {})) == [
        "wires.json defines no id: the position in the source is the identity, so equal messages count as different"
    ]
    assert plain_json.names.notes(plain_json.names.mapping(FIELDS, {})) == []


@pytest.mark.parametrize(
    "time, milliseconds",
    [
        pytest.param("2026-11-14T11:00:00.123456+01:00", 1_794_650_400_123, id="an instant"),
        pytest.param(1_794_650_400, 1_794_650_400_000, id="seconds"),
        pytest.param(1_794_650_400.5, 1_794_650_400_500, id="seconds with a fraction"),
        pytest.param(1_794_650_400_123, 1_794_650_400_123, id="milliseconds"),
        pytest.param(0, 0, id="1970"),
    ],
)
def test_a_time_is_an_instant_or_a_unix_time(time: Any, milliseconds: int) -> None:
    assert canonical(changed(ts=time))["meta"]["created_at"] == milliseconds


def test_without_a_time_that_of_the_receipt_is_marked() -> None:
    meta = canonical(CLICK, {"urn": {"field": "type"}})["meta"]
    assert (meta["created_at"], meta["ext"]["json"]["received_from"]) == (RECEIPT.received_at, "mtime")


@pytest.mark.parametrize(
    "value, code, where",
    [
        pytest.param(changed(type=...), "missing_name", "/type", id="no name"),
        pytest.param(changed(type=5), "missing_name", "/type", id="a number for a name"),
        pytest.param(changed(type=" "), "missing_name", "/type", id="a blank name"),
        pytest.param(changed(event_id=...), "missing_id", "/event_id", id="no id"),
        pytest.param(changed(event_id=None), "missing_id", "/event_id", id="null for an id"),
        pytest.param(changed(event_id=""), "invalid_id", "/event_id", id="an empty id"),
        pytest.param(changed(event_id=True), "invalid_id", "/event_id", id="a boolean for an id"),
        pytest.param(changed(event_id=1.5), "invalid_id", "/event_id", id="a fraction for an id"),
        pytest.param(changed(ts=...), "missing_time", "/ts", id="no time"),
        pytest.param(changed(ts="yesterday"), "invalid_time", "/ts", id="a time that is none"),
        pytest.param(changed(ts=True), "invalid_time", "/ts", id="a boolean for a time"),
        pytest.param(changed(ts=-1), "invalid_time", "/ts", id="before 1970"),
        pytest.param(changed(ts=10**400), "invalid_time", "/ts", id="beyond doubles"),
        pytest.param(changed(payload=...), "data_not_an_object", "/payload", id="no data"),
        pytest.param(changed(payload=[1]), "data_not_an_object", "/payload", id="a list for data"),
        pytest.param(
            changed(payload={"n": 2**70}), "not_an_int64", "/data/n", id="an integer that does not fit into 64 bits"
        ),
    ],
)
def test_a_message_that_the_settings_do_not_fit_has_a_reason(value: dict[str, Any], code: str, where: str) -> None:
    with pytest.raises(WireError) as refused:
        canonical(value)
    assert (refused.value.code, refused.value.pointer) == (code, where)
    assert code in plain_json.CODES


@pytest.mark.parametrize("block", [{}, {"id": "a"}])
def test_without_settings_no_message_is_read(block: dict[str, Any]) -> None:
    with pytest.raises(WireError) as refused:
        canonical(CLICK, block)
    assert refused.value.code == "no_settings"


@pytest.mark.parametrize(
    "origin, source, name",
    [
        pytest.param("file", "Web.Clicked.jsonl", ALIAS, id="an alias for a file"),
        pytest.param("file", "in/Web.Clicked.jsonl.gz", ALIAS, id="a packed file"),
        pytest.param("file", "Web.Clicked/2026-11-14.jsonl", ALIAS, id="a folder"),
        pytest.param("file", "Web.Clicked/day=14/part-0.json", ALIAS, id="a folder of folders"),
        pytest.param("file", "nobody/knows.jsonl", "knows", id="a file of no name"),
        pytest.param("topic", "Web.Clicked", ALIAS, id="a topic"),
        pytest.param("topic", "topics/Web.Clicked/p0.jsonl", ALIAS, id="a topic in a folder"),
        pytest.param("topic", "orders/p0.jsonl", "orders", id="a topic of no name"),
    ],
)
def test_the_file_or_topic_names_a_message(origin: str, source: str, name: str) -> None:
    assert canonical(CLICK, {"urn": {origin: True}}, RECEIPT._replace(source=source))["job"] == name


def test_a_row_without_id_and_position_is_refused() -> None:
    with pytest.raises(WireError) as refused:
        canonical(CLICK, {"urn": {"field": "type"}}, RECEIPT._replace(occurrence=":0"))
    assert refused.value.code == "missing_position"
    assert canonical(CLICK, FIELDS, RECEIPT._replace(occurrence=":0"))["job"] == URN


def test_a_source_without_a_name_is_refused() -> None:
    with pytest.raises(WireError) as refused:
        canonical(CLICK, {"urn": {"file": True}}, RECEIPT._replace(source=""))
    assert refused.value.code == "missing_name"


BLOCKS = [
    FIELDS,
    {"urn": {"field": "type"}, "id": "event_id", "time": "ts"},
    {"urn": {"field": "meta.kind"}, "id": "meta.id", "data": "body.content"},
    {"urn": {"file": True}, "data": "payload"},
    {"urn": {"topic": True}},
]
NESTED = {"meta": {"kind": URN, "id": 7}, "body": {"content": {"a": [1]}, "v": 2}}


@pytest.mark.parametrize("block", BLOCKS)
def test_there_and_back_is_the_identity(block: dict[str, Any]) -> None:
    for value in (CLICK, {**NESTED, "payload": {}}, {**CLICK, **NESTED}):
        try:
            envelope = canonical(value, block)
        except WireError:
            continue
        mapping = plain_json.names.mapping(block, DECLARED)
        assert plain_json.from_canonical(json.dumps(envelope).encode(), mapping=mapping).value == value


@pytest.mark.parametrize("block", [BLOCKS[0], BLOCKS[2]])
@settings(max_examples=30, deadline=None)
@given(
    st.uuids(), st.dictionaries(st.text("ab.", max_size=3), st.integers(0, 9), max_size=3), st.integers(0, 4 * 10**12)
)
def test_an_envelope_keeps_id_name_time_and_data(block: dict[str, Any], identity: Any, data: Any, at: int) -> None:
    envelope = emit.make(URN, data, queue="q", lang="go")
    envelope["meta"] |= {"id": str(identity), "created_at": at}
    foreign = plain_json.from_canonical(
        json.dumps(envelope).encode(), mapping=plain_json.names.mapping(block, DECLARED)
    )
    again = canonical(foreign.value, block)
    assert (again["job"], again["data"], again["meta"]["id"]) == (URN, data, str(identity))
    assert ("time" in block) == (again["meta"]["created_at"] == at or at == RECEIPT.received_at)
    lost = {one.pointer for one in foreign.losses}
    assert {"/trace_id", "/meta/lang", "/meta/queue"} <= lost
    assert ("/meta/created_at" in lost) == ("time" not in block)


def test_data_with_a_member_where_the_name_belongs_is_refused() -> None:
    body = json.dumps(emit.make(URN, {"type": "premium"}, queue="q")).encode()
    mapping = plain_json.names.mapping({"urn": {"field": "type"}}, DECLARED)
    with pytest.raises(WireError) as refused:
        plain_json.from_canonical(body, mapping=mapping)
    assert (refused.value.code, refused.value.pointer) == ("member_taken", "/data/type")


@pytest.mark.parametrize(
    "path, names", [("a", ("a",)), ("a.b", ("a", "b")), (r"a\.b.c", ("a.b", "c")), (r"a\\", ("a\\",)), ("a.", ("a",))]
)
def test_the_names_of_a_path(path: str, names: tuple[str, ...]) -> None:
    assert steps(path) == names


def test_members_by_path() -> None:
    value = {"a": {"b": 1, "c": 2}}
    assert (member(value, "a.b"), member(value, "a.b.c"), member(value, "x.y")) == (1, None, None)
    assert (without_member(value, "a.b"), value) == ({"a": {"c": 2}}, {"a": {"b": 1, "c": 2}})
    assert with_member({}, "a.b", 1) == {"a": {"b": 1}}
    assert pointer(r"a/b.c~d") == "/a~1b/c~0d"
    with pytest.raises(TypeError):
        with_member({"a": 5}, "a.b", 1)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60), st.sampled_from(BLOCKS))
def test_no_bytes_are_a_bug(raw: bytes, block: dict[str, Any]) -> None:
    mapping = plain_json.names.mapping(block, DECLARED)
    for text in (raw, json.dumps(CLICK).encode().replace(b"a1", raw)):
        try:
            plain_json.to_canonical(Frame(plain_json.decode(text), text), RECEIPT, mapping=mapping)
        except WireError as err:
            assert err.code in plain_json.CODES
