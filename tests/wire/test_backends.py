"""Names of Strata's queues, channels and clients, and what FlowLayer's commands and events declare."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.wire.formats.flowlayer import commands, events
from babelreg.wire.formats.flowlayer.models import Ack, ErrorObject, Result, parse
from babelreg.wire.formats.strata import backends
from babelreg.wire.formats.strata import models as strata_models


@pytest.mark.parametrize(
    "name, parts",
    [
        ("Requests:Orders", ("requests", "Orders", None)),
        ("Responses:Web:abc", ("responses", "Web", "abc")),
        ("Responses:Web", None),
        ("Responses::abc", None),
        ("Requests:", None),
        ("Orders", None),
    ],
)
def test_queues_are_parsed(name: str, parts: tuple[Any, ...] | None) -> None:
    assert backends.parse_queue(name) == parts


def test_queues_channels_and_clients_are_named() -> None:
    assert backends.request_queue("Orders") == backends.request_queue("Requests:Orders") == "Requests:Orders"
    assert backends.response_queue("Web", "abc") == "Responses:Web:abc"
    assert backends.service_channels("G", "1") == ("Services", "Services:G", "Services:G:1")
    assert (backends.client_name("G", "h"), backends.client_name(None, "h")) == ("Client:G", "StrataClient.h")


def test_short_ids_have_twenty_letters_and_digits_and_depend_on_their_seed_alone() -> None:
    made = [backends.short_id(str(number)) for number in range(200)]
    assert all(len(one) == 20 and one.isalnum() and one.isascii() for one in made)
    assert len(set(made)) == 200
    assert backends.short_id("1") == made[1]


def test_a_chain_grows_by_the_request_that_causes_the_next() -> None:
    assert backends.chain_after({"id": "b", "requestChain": ["a"]}) == {"priorRequest": "b", "requestChain": ["a", "b"]}


@pytest.mark.parametrize("entry", [{"msg": '{"a":1}'}, {b"msg": b'{"a":1}'}, {"msg": b'{"a":1}', "x": "y"}])
def test_a_stream_entry_holds_its_message_in_the_field_msg(entry: dict[Any, Any]) -> None:
    assert backends.stream_body(entry) == b'{"a":1}'


def test_an_entry_without_a_message() -> None:
    assert backends.stream_body({"other": "x"}) is None


def test_the_queue_monitor_carries_envelopes() -> None:
    wrapped = {"context": "monitor", "operation": "logMessage", "payload": {"queue": "q", "envelope": {"id": "a"}}}
    assert backends.monitored(wrapped) == ("q", {"id": "a"})
    assert backends.monitored({**wrapped, "operation": "x"}) is None
    assert backends.monitored({**wrapped, "payload": {"queue": "q"}}) is None


def test_the_catalogue_has_eleven_codes() -> None:
    assert len(commands.ERROR_CODES) == 11


@pytest.mark.parametrize(
    "limits, effective",
    [((5, 6, 7), 5), ((None, 6, 7), 6), ((None, None, 7), 7), ((None, None, None), 500)],
)
def test_the_limit_of_get_logs(limits: tuple[Any, ...], effective: int) -> None:
    assert commands.log_limit(*limits) == effective


@pytest.mark.parametrize(
    "name, payload, typed",
    [
        ("get_snapshot", None, commands.GetSnapshot()),
        ("get_logs", {"limit": 5, "before_seq": 9, "x": 1}, commands.GetLogs(limit=5, before_seq=9)),
        ("start_service", {"service": "a"}, commands.StartService("a")),
        ("stop_service", {"service": "a"}, commands.StopService("a")),
        ("restart_service", {"service": "a"}, commands.RestartService("a")),
        ("start_all", {}, commands.StartAll()),
        ("stop_all", {}, commands.StopAll()),
    ],
)
def test_documented_commands_have_typed_payloads(name: str, payload: Any, typed: Any) -> None:
    assert commands.parse(name, payload) == typed
    assert list(commands.diagnostics(name, payload or {})) == []


def test_entries_are_ordered_and_deduplicated_by_seq_alone() -> None:
    def entry(seq: int | None, at: str) -> events.LogEntry:
        return events.LogEntry(seq, "s", "run", "stdout", "m", at)

    merged = events.merge_entries([entry(3, "1"), entry(1, "2"), entry(3, "9"), entry(None, "0")])
    assert [(one.seq, one.timestamp) for one in merged] == [(None, "0"), (1, "2"), (3, "1")]


def test_who_receives_what() -> None:
    assert {name for name, scope in events.SCOPES.items() if scope == "broadcast"} == {"service_status", "log"}


@pytest.mark.parametrize("error", [None, {"code": "service_busy", "message": "m"}])
def test_an_error_that_says_nothing_is_read_and_not_written(error: Any) -> None:
    document = {"type": "ack", "id": "a", "payload": {"accepted": True, "error": error}}
    assert parse(document).document() == {"type": "ack", "id": "a", "payload": {"accepted": True}}


def test_a_refusal_keeps_its_error() -> None:
    error = {"code": "service_busy", "message": "m"}
    for document in (
        {"type": "ack", "id": "a", "payload": {"accepted": False, "error": error}},
        {"type": "result", "id": "a", "payload": {"ok": False, "error": error, "failed_services": ["x"]}},
    ):
        typed = parse(document)
        assert isinstance(typed, (Ack, Result))
        assert typed.error == ErrorObject("service_busy", "m")
        assert typed.document() == document


@pytest.mark.parametrize(
    "document",
    [
        {"id": "a", "command": "info", "responseChannel": "c"},
        {"id": "a", "command": "concurrency", "payload": {"concurrency": 2}},
        {"id": "a", "command": "shutdown", "payload": {"graceful": True, "exitCode": 1}},
        {"id": "a", "command": "shutdown"},
        {"id": "a", "command": "toobusy", "payload": {"x": 1}},
        {"id": "a", "payload": {}},
        {"id": "a"},
    ],
)
def test_strata_commands_have_typed_models(document: dict[str, Any]) -> None:
    assert strata_models.parse(document).document() == document
