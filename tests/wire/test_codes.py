"""Codes that the vectors cannot show: limits, values without a form in JSON, writers that refuse; and the house's rules."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st
from syntax_trees import Module, modules
from wire_vectors import rows

from babelreg.finding import Place, Severity
from babelreg.schema.dialects import identify
from babelreg.wire.format import Diagnostic, Frame, Receipt, WireError
from babelreg.wire.formats import babelqueue, flowlayer, phpmq, strata
from babelreg.wire.formats.phpmq.check import UPSTREAM
from babelreg.wire.formats.phpmq.headers import php_integer
from babelreg.wire.formats.phpmq.models import PacketMessage
from babelreg.wire.formats.table import FORMATS
from babelreg.wire.json_record import frame_bytes
from babelreg.wire.mapping import UrnMapping
from babelreg.wire.mapping_check import check as check_mapping

from .generated import flowlayer_messages, strata_messages

ROOT = Path(__file__).parents[2]
DEEP = b'{"type":"event","name":"a","payload":' + b'{"a":' * 1100 + b"1" + b"}" * 1101
STRATA = {"id": "V1StGXR8Z5jdHi6BmyT2", "messageType": "post", "context": "a", "operation": "b",
          "timestamp": "2024-06-25T04:08:22.000Z"}  # fmt: skip


@pytest.mark.parametrize("name", ["flowlayer", "strata"])
@pytest.mark.parametrize(
    "raw, code",
    [
        pytest.param(DEEP, "too_deep", id="too deep"),
        pytest.param(b'{"a":' + b"9" * 400 + b"}", None, id="an integer of 400 digits is beyond a double"),
        pytest.param(b'{"a":1e400}', "number_out_of_range", id="a number that exceeds the range of a double"),
        pytest.param(b" " * (16 * 1024 * 1024) + b"{}", "too_large", id="too large"),
    ],
)
def test_limits_of_json_formats(name: str, raw: bytes, code: str | None) -> None:
    with pytest.raises(WireError) as refused:
        FORMATS[name].decode(raw)
    assert refused.value.code == (code or "number_out_of_range")


@pytest.mark.parametrize(
    "name, value, code",
    [
        pytest.param("flowlayer", {"type": "event", "name": "\ud800"}, "not_json", id="an unpaired surrogate"),
        pytest.param("flowlayer", {"type": "event", "payload": {"a": float("nan")}}, "not_json", id="NaN"),
        pytest.param("strata", {**STRATA, "payload": {"a": float("inf")}}, "not_json", id="Infinity"),
        pytest.param("strata", {**STRATA, "auth": {"token": "x"}}, "wrong_type", id="auth that is no string"),
        pytest.param("strata", {**STRATA, "timeout": 5}, "not_allowed", id="a post with a timeout"),
        pytest.param("phpmq", PacketMessage(9, b"q"), "message_type_not_implemented", id="an unknown type"),
        pytest.param("phpmq", PacketMessage(1, b"q", ttl=0), "missing_field", id="no content"),
        pytest.param("phpmq", PacketMessage(4, b"q", message_id=b"i", ttl=0), "unexpected_field", id="a field too many"),
        pytest.param("phpmq", PacketMessage(1, b"q", content=b"", ttl=2**63), "invalid_integer", id="beyond 64 bits"),
        pytest.param("phpmq", PacketMessage(2, b"q", message_count=True), "invalid_integer", id="not an integer"),
        pytest.param("phpmq", PacketMessage(1, b"q", content=bytes(17 * 1024 * 1024), ttl=0), "too_large", id="too large"),
    ],
)  # fmt: skip
def test_a_strict_writer_refuses(name: str, value: Any, code: str) -> None:
    with pytest.raises(WireError) as refused:
        FORMATS[name].encode(value)
    assert refused.value.code == code
    assert code in FORMATS[name].CODES


def test_a_strata_writer_writes_the_defaults() -> None:
    sent = json.loads(strata.encode(STRATA))
    assert (sent["payload"], sent["metadata"], sent["client"]) == ({}, {}, "unknown")


def test_exactly_one_message_is_decoded() -> None:
    raw = phpmq.encode(PacketMessage(2, b"q", message_count=1))
    with pytest.raises(WireError) as trailing:
        phpmq.decode(raw + b"H")
    assert (trailing.value.code, trailing.value.offset) == ("trailing_bytes", len(raw))
    with pytest.raises(WireError) as cut:
        phpmq.decode(raw[:-1])
    assert cut.value.code == "truncated"


@pytest.mark.parametrize(
    "change, pointer",
    [
        ({"data": {}}, "/data"),
        ({"data": {"content": 5}}, "/data"),
        ({"data": {"content_base64": "*"}}, "/meta/ext/phpmq"),
    ],
)
def test_an_extension_that_makes_no_message_is_refused(change: dict[str, Any], pointer: str) -> None:
    from babelreg.contract import emit

    envelope = emit.make(
        "urn:babel:phpmq:q", {"content": ""}, queue="q", meta=[("ext", {"phpmq": {"type": 1, "ttl": 0}})]
    )
    with pytest.raises(WireError) as refused:
        phpmq.from_canonical(emit.encode({**envelope, **change}))
    assert (refused.value.code, refused.value.pointer) == ("invalid_extension", pointer)


@pytest.mark.parametrize("found", [{}, {"message": 5}, {"raw_base64": "*", "message": {}}])
def test_a_record_without_a_message_is_refused(found: dict[str, Any]) -> None:
    with pytest.raises(WireError):
        frame_bytes(flowlayer, found)


def test_a_canonical_record_is_encoded_strictly() -> None:
    assert frame_bytes(flowlayer, {"raw_base64": "eyB9", "message": {"type": "x"}}, canonical=True) == b'{"type":"x"}'


@pytest.mark.parametrize(
    "text, number",
    [(b"abc", 0), (b" 1", 1), (b"12x", 12), (b"", 0), (b"-5", -5), (b"+5", 5), (b"9" * 40, 2**63 - 1), (b"-" + b"9" * 40, -(2**63))],
)  # fmt: skip
def test_php_casts(text: bytes, number: int) -> None:
    assert php_integer(text) == number


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_published_codes_are_marked(name: str) -> None:
    published = {code for code, meaning in FORMATS[name].CODES.items() if meaning.published}
    if name == "flowlayer":
        assert published == {"invalid_json", "missing_type", "unknown_type", "missing_id", "missing_name",
                             "invalid_payload", "unknown_command"}  # fmt: skip
    elif name == "phpmq":
        assert published == set(UPSTREAM)
    elif name == "strata":
        assert published == set()


@settings(max_examples=fewer(100, 200), deadline=None)
@given(
    st.one_of(flowlayer_messages, strata_messages),
    st.sampled_from(["type", "id", "name", "payload", "messageType", "context", "timestamp", "metadata", "status", "messages",
                     "timeout", "requestChain", "command", "responseQueue", "client", "operation", "service"]),
    st.sampled_from([None, 5, "", "x", [], ["a", 1], {}, {"accepted": 1}, True, -1, [{"severity": "x", "message": 1}]]),
    st.booleans(),
)  # fmt: skip
def test_schema_and_checks_agree(value: dict[str, Any], key: str, other: Any, drop: bool) -> None:
    value = {name: member for name, member in value.items() if name != key} if drop else {**value, key: other}
    for wire in (flowlayer, strata):
        schema = wire.schema("compat")
        valid = identify(schema).validator_for(schema).is_valid(value)
        assert valid == (not any(one.severity is Severity.ERROR for one in wire.validate(value, profile="compat")))


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(flowlayer_messages, strata_messages),
    st.sampled_from(["type", "id", "payload", "messageType", "timestamp", "command", "auth"]),
    st.sampled_from([None, 5, "request", "info", "0000-01-01T00:00:00.000Z", "2024-02-30T00:00:00.000Z", [], {}]),
)
def test_the_fast_path_finds_what_the_checks_find(value: dict[str, Any], key: str, other: Any) -> None:
    from babelreg.wire.formats.flowlayer import check as flowlayer_check
    from babelreg.wire.formats.strata import check as strata_check

    for one in (value, {**value, key: other}):
        assert flowlayer.validate(one) == list(flowlayer_check._envelope(one))
        assert strata.validate(one) == list(strata_check._diagnostics(one, False))


def test_schemas_of_babelqueue_agree_with_the_contract() -> None:
    for row in rows("vector"):
        if row["format"] != "babelqueue" or "poison" in row["name"]:
            continue
        for line in row["input"].splitlines() if "printed" not in row["name"] else []:
            try:
                document = json.loads(line)
                envelope = babelqueue.decode(line)
            except (ValueError, WireError):
                continue
            schema = babelqueue.schema(row["profile"])
            found = babelqueue.validate(envelope, profile=row["profile"])
            errors = [one for one in found if one.severity is Severity.ERROR]
            dead_lettered = row["profile"] == "strict" and "dead_letter" in document
            assert identify(schema).validator_for(schema).is_valid(document) == (not errors or dead_lettered), row[
                "name"
            ]


def test_a_diagnostic_becomes_a_finding_with_the_formats_code() -> None:
    found = Diagnostic("missing_type", "/type", "type is missing", Severity.ERROR).finding(
        Place("a.jsonl", 3, 1), "urn:a"
    )
    assert (found.rule, found.reason, found.pointer, found.place.line, found.urn) == (
        "missing_type", "missing_type", "/type", 3, "urn:a",
    )  # fmt: skip


KNOWN = {"urn:a", "urn:b"}


@pytest.mark.parametrize(
    "name, block, found",
    [
        pytest.param("phpmq", {"queues": {"Foo": "urn:a", "Bar": "urn:b"}}, [], id="a good mapping"),
        pytest.param("phpmq", {"queues": {"Foo": "urn:z"}}, ["unknown_urn"], id="to no URN of the registry"),
        pytest.param("phpmq", {"queues": {"Foo": "urn:a", "Bar": "urn:a"}}, ["urn_mapped_twice"], id="two names, one URN"),
        pytest.param("phpmq", {"queues": {"": "urn:a"}}, ["name_not_on_wire"], id="an empty queue"),
        pytest.param("phpmq", {"queues": {"x" * 70_000: "urn:a"}}, ["name_not_on_wire"], id="a queue beyond its packet"),
        pytest.param("phpmq", {"topics": {"Foo": "urn:a"}}, ["wrong_shape"], id="another key than queues"),
        pytest.param("phpmq", {"queues": "Foo"}, ["wrong_shape"], id="no mapping"),
        pytest.param("phpmq", [], ["wrong_shape"], id="a list"),
        pytest.param("flowlayer", {"commands": {"a": "urn:a"}, "events": {"a": "urn:b"}}, [], id="a command and an event"),
        pytest.param("flowlayer", {"commands": {"a": "urn:a"}, "events": {"a": "urn:a"}}, ["urn_mapped_twice"],
                     id="a command and an event with one URN"),
        pytest.param("flowlayer", {"commands": {"\ud800": "urn:a"}}, ["name_not_on_wire"], id="an unpaired surrogate"),
        pytest.param("flowlayer", {"acks": {"a": "urn:a"}}, ["wrong_shape"], id="acks have no names"),
        pytest.param("strata", {"Orders": {"create": {"request": "urn:a", "response": "urn:b"}}}, [], id="a pair"),
        pytest.param("strata", {"Orders": {"create": {"reply": "urn:a"}}}, ["wrong_shape"], id="no messageType"),
        pytest.param("strata", {"Orders": {"create": "urn:a"}}, ["wrong_shape"], id="a level too few"),
        pytest.param("strata", {"Orders": {"create": {"request": 5}}}, ["wrong_shape"], id="not a URN"),
        pytest.param("strata", {"": {"create": {"request": "urn:a"}}}, ["name_not_on_wire"], id="an empty context"),
        pytest.param("amqp", {}, ["unknown_format"], id="another format"),
    ],
)  # fmt: skip
def test_mappings_are_checked(name: str, block: Any, found: list[str]) -> None:
    defects = check_mapping(name, block, KNOWN)
    assert [defect.code for defect in defects] == found
    assert all(defect.path[0] == name for defect in defects)


def test_a_mapping_works_in_both_directions() -> None:
    mapping = UrnMapping.of({"commands": {"a": "urn:a", "b": "urn:a", "c": 5}, "events": None})
    assert mapping.urns == {("commands", "a"): "urn:a", ("commands", "b"): "urn:a"}
    assert mapping.keys == {"urn:a": ("commands", "a")}


def test_nothing_below_wire_reads_a_clock_or_a_file_or_draws_lots() -> None:
    forbidden = re.compile(
        r"uuid4|uuid1|\brandom\b|\btime\.|import time|datetime\.now|utcnow|\bopen\(|import socket|asyncio|pathlib|\bos\b|subprocess"
    )
    found = {module.name: forbidden.findall(_code(module)) for module in modules() if module.name.startswith("wire/")}
    assert found
    assert {name: words for name, words in found.items() if words} == {}


def _code(module: Module) -> str:
    """The statements of a module, without docstrings and comments."""
    return "\n".join(ast.unparse(node) for node in module.each(ast.Import, ast.ImportFrom, ast.Call, ast.Attribute))


ENVELOPE = {
    "job": "urn:babel:a:b",
    "trace_id": "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b",
    "data": {"lines": [{"sku": 9223372036854775807}]},
    "meta": {"id": "f1e2d3c4-b5a6-4789-90ab-cdef01234567", "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1},
    "attempts": 0,
}  # fmt: skip


@pytest.mark.parametrize(
    "change, defects",
    [
        pytest.param({}, [], id="the greatest integer"),
        pytest.param({"trace_id": ENVELOPE["meta"]["id"]}, [("same_id", "/meta/id")], id="E10"),  # type: ignore[index]
        pytest.param({"trace_id": ENVELOPE["meta"]["id"].upper()}, [("same_id", "/meta/id")], id="E10 in capitals"),  # type: ignore[index]
        pytest.param({"data": {"lines": [{"sku": 1}, {"sku": 2**63}]}}, [("not_an_int64", "/data/lines/1/sku")], id="E26"),
        pytest.param({"data": {"a/b": -(2**63) - 1}}, [("not_an_int64", "/data/a~1b")], id="E26 below zero"),
    ],
)  # fmt: skip
def test_a_producer_is_refused_what_a_reader_takes(change: dict[str, Any], defects: list[tuple[str, str]]) -> None:
    envelope = babelqueue.decode(json.dumps({**ENVELOPE, **change}).encode())
    assert babelqueue.validate(envelope) == []
    strict = babelqueue.validate(envelope, profile="strict")
    assert [(defect.code, defect.pointer) for defect in strict] == defects
    assert babelqueue.encode(envelope)  # passing on is not producing


@pytest.mark.parametrize(
    "name, value, pointer",
    [
        pytest.param(
            "flowlayer", {"type": "event", "name": "a", "payload": {"seq": 2**64}}, "/data/seq", id="flowlayer"
        ),
        pytest.param("strata", {**STRATA, "metadata": {"n": -(2**70)}}, "/meta/ext/strata/metadata/n", id="strata"),
    ],
)
def test_a_bridge_writes_what_a_producer_may_send(name: str, value: dict[str, Any], pointer: str) -> None:
    raw = json.dumps(value).encode()
    with pytest.raises(WireError) as refused:
        FORMATS[name].to_canonical(Frame(value, raw), Receipt("0", 0))
    assert (refused.value.code, refused.value.pointer) == ("not_an_int64", pointer)
