"""babelreg wire convert: messages in another format, losses on stderr."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import ENVELOPE, PHPMQ, STRATA, URN, lines

Run = Callable[..., tuple[int, bytes, str]]
FLOWLAYER = {"type": "event", "name": "OrderCreated", "payload": {"order_id": 1042}}


@pytest.fixture(autouse=True)
def _nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run where no registry is found."""
    (tmp_path / "empty/.git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "empty")
    monkeypatch.delenv("BABELREG_REGISTRY", raising=False)


def envelopes(out: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_without_a_registry_names_become_urns_by_rule(wire: Run) -> None:
    code, out, err = wire("wire", "convert", "--wire", "strata", given=lines(STRATA))
    (envelope,) = envelopes(out)
    assert (code, err) == (0, "1 message: 1 converted, 0 refused\n")
    assert (envelope["job"], envelope["data"]) == (URN, {"order_id": 1042})
    assert envelope["meta"]["created_at"] == 1719288502000


@pytest.mark.parametrize(
    "name, given",
    [
        pytest.param("strata", lines({**STRATA, "context": "Orders", "operation": "createdOrder"}), id="strata"),
        pytest.param("flowlayer", lines(FLOWLAYER), id="flowlayer"),
        pytest.param("phpmq", PHPMQ, id="phpmq"),
    ],
)
@pytest.mark.parametrize("how", ["option", "variable", "discovery"])
def test_a_registry_maps_names(
    name: str, given: bytes, how: str, wire: Run, registry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--registry", registry] if how == "option" else []
    if how == "variable":
        monkeypatch.setenv("BABELREG_REGISTRY", str(registry))
    if how == "discovery":
        monkeypatch.chdir(registry / "orders")
    code, out, _ = wire("wire", "convert", "--wire", name, *words, given=given)
    assert (code, [envelope["job"] for envelope in envelopes(out)]) == (0, [URN])


def test_a_name_that_nothing_maps_is_refused_with_its_entry(wire: Run) -> None:
    code, out, err = wire("wire", "convert", "--wire", "phpmq", given=PHPMQ)
    assert (code, out) == (1, b"")
    assert err.startswith("<stdin>: error: byte 0: the queue's name cannot be part of a URN")
    assert "  fix: in babelreg.yaml: wires: {phpmq: {queues: {Foo: URN}}}\n" in err


def test_losses_are_notes_on_stderr(wire: Run) -> None:
    given = lines({**STRATA, "auth": "S3CRET"})
    code, out, err = wire("wire", "convert", "--wire", "strata", given=given)
    assert code == 0
    assert b"S3CRET" not in out
    assert err.splitlines()[0] == "<stdin>:1:1: info: /auth is lost: a secret is not copied [secret_removed]"
    assert wire("wire", "convert", "--wire", "strata", "-q", given=given) == (0, out, "")


def test_control_messages_are_left_out_and_named(wire: Run) -> None:
    consume = b"H0100202P0100000000000000000000000000003fooP04000000000000000000000000000015"
    code, out, err = wire("wire", "convert", "--wire", "phpmq", given=consume)
    assert (code, out) == (0, b"")
    assert "byte 0: a control message has no payload [member_lost]" in err
    assert err.endswith("1 message: 0 converted, 0 refused, 1 without payload left out\n")


@pytest.mark.parametrize("to", ["strata", "flowlayer", "phpmq"])
def test_an_envelope_is_sent_in_another_format_and_comes_back(to: str, wire: Run, registry: Path) -> None:
    words = ["--registry", registry]
    code, out, err = wire("wire", "convert", "--wire", "babelqueue", "--to", to, *words, given=lines(ENVELOPE))
    assert code == 0
    assert ("is lost" in err) == (to != "phpmq")
    back = wire("wire", "convert", "--wire", to, "--received-at", 1, *words, given=out)[1]
    (envelope,) = envelopes(back)
    assert (envelope["job"], envelope["data"]) == (URN, ENVELOPE["data"])


def test_a_carried_envelope_keeps_its_bytes(wire: Run) -> None:
    given = json.dumps(ENVELOPE).encode() + b"\n"
    carried = wire("wire", "convert", "--wire", "babelqueue", "--to", "phpmq", given=given)[1]
    assert carried.startswith(b"H0100103P0100000000000000000000000000006ordersP02")
    assert wire("wire", "convert", "--wire", "phpmq", given=carried)[1] == given


def test_a_message_comes_back_as_it_was(wire: Run) -> None:
    out = wire("wire", "convert", "--wire", "strata", "--to", "strata", given=lines(STRATA))[1]
    assert json.loads(out) == STRATA


def test_the_receive_time_is_the_option_else_that_of_the_file_else_now(wire: Run, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(lines(FLOWLAYER | {"name": "order.created"}))
    os.utime(file, ns=(0, 1_700_000_000_123_456_789))

    def meta(*words: object, given: bytes = b"") -> tuple[int, str]:
        found = envelopes(wire("wire", "convert", "--wire", "flowlayer", *words, given=given)[1])[0]["meta"]
        return found["created_at"], found["ext"]["flowlayer"]["received_from"]

    assert meta("--received-at", 5, file) == (5, "argument")
    assert meta(file) == (1_700_000_000_123, "mtime")
    time, clock = meta(given=file.read_bytes())
    assert clock == "now"
    assert time > 1_700_000_000_123


def test_equal_messages_of_one_run_have_ids_of_their_own_and_the_same_in_each_run(wire: Run, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(lines(FLOWLAYER | {"name": "order.created"}) * 2)
    first = wire("wire", "convert", "--wire", "flowlayer", file, file)[1]
    assert len({envelope["meta"]["id"] for envelope in envelopes(first)}) == 4
    assert wire("wire", "convert", "--wire", "flowlayer", file, file)[1] == first


def test_a_queue_can_be_named(wire: Run) -> None:
    given = lines(STRATA)
    out = wire("wire", "convert", "--wire", "strata", "--queue", "Requests:shop", given=given)[1]
    assert envelopes(out)[0]["meta"]["queue"] == "shop"


def test_settings_with_defects_are_not_passed_over(wire: Run, registry: Path) -> None:
    (registry / "babelreg.yaml").write_text("version: 1\nwires: {phpmq: {queue: {Foo: urn:a}}}\n")
    code, out, err = wire("wire", "convert", "--wire", "phpmq", "--registry", registry, given=PHPMQ)
    assert (code, out) == (2, b"")
    assert "did you mean 'queues'?" in err


def test_defects_of_other_files_do_not_matter(wire: Run, registry: Path) -> None:
    (registry / "orders/created.yaml").write_text("urn: [\n")
    assert wire("wire", "convert", "--wire", "phpmq", "--registry", registry, given=PHPMQ)[0] == 0


def test_a_message_with_defects_is_refused_and_the_others_are_converted(wire: Run) -> None:
    given = lines(STRATA, {**STRATA, "payload": 5}) + b"{\n" + lines(STRATA)
    code, out, err = wire("wire", "convert", "--wire", "strata", given=given)
    assert (code, len(envelopes(out))) == (1, 2)
    assert "<stdin>:2:1: error: payload has the wrong JSON type [wrong_type]" in err
    assert "<stdin>:3:2: error: " in err
    assert err.endswith("4 messages: 2 converted, 2 refused\n")


@pytest.mark.parametrize("to", ["babelqueue", "strata", "flowlayer", "phpmq"])
def test_secrets_are_never_converted(to: str, wire: Run, registry: Path) -> None:
    stack = {"severity": "error", "message": "m", "stack": "S3CRET"}
    response = {"messageType": "response", "status": "failed", "service": "s", "messages": [stack]}
    given = lines(
        {**STRATA, "auth": "S3CRET"},
        {**STRATA, "auth": {"token": ["S3CRET"]}, "payload": 5},
        {key: value for key, value in STRATA.items() if key not in ("metadata", "client")} | response,
    )
    words = ["--to", to, "--registry", registry]
    code, out, err = wire("wire", "convert", "--wire", "strata", *words, given=given + b'{"auth":"S3CRET",\n')
    assert code == 1
    assert "S3CRET" not in out.decode() + err
    assert "/auth is lost: a secret is not copied" in err or to == "flowlayer"


@pytest.mark.parametrize(
    "given, written, losses",
    [
        pytest.param('{"job":"a","data":{"n":1.10},"timestamp":1}', '{"job":"a","data":{"n":1.10}}', ["/timestamp"], id="a forbidden key"),
        pytest.param('{"job":"a","meta":{"ts":1,"queue":"q"}}', '{"job":"a","meta":{"queue":"q"}}', ["/meta/ts"], id="in meta"),
        pytest.param('{"job":"a","urn":"b","n":1.10}', '{"job":"a","n":1.10}', ["/urn"], id="an alias beside job"),
        pytest.param('{"urn":"a","n":1.10}', '{"job":"a","n":1.10}', [], id="an alias"),
        pytest.param('{"\\u0075rn":"a"}', '{"job":"a"}', [], id="an escaped alias"),
        pytest.param('{"job":5,"urn":"a"}', '{"job":"a"}', ["/job"], id="a job of another type"),
        pytest.param('{"job":"a","n":1.10,"m":"\\u00e9"}', '{"job":"a","n":1.10,"m":"\\u00e9"}', [], id="nothing to drop"),
    ],
)  # fmt: skip
def test_keys_that_no_writer_may_emit_are_dropped_and_every_other_byte_stays(
    wire: Run, given: str, written: str, losses: list[str]
) -> None:
    code, out, err = wire("wire", "convert", "--wire", "babelqueue", given=given.encode())
    assert (code, out) == (0, written.encode() + b"\n")
    assert [line.split()[2] for line in err.splitlines() if "[member_lost]" in line] == losses


def test_a_carried_envelope_loses_the_keys_that_no_writer_may_emit(wire: Run) -> None:
    content = b'{"job":"a","meta":{"queue":"q"},"n":1.10,"timestamp":1}'
    packets = b"".join(
        b"P%s%029d%s" % (kind, len(text), text) for kind, text in ((b"01", b"q"), (b"02", content), (b"05", b"0"))
    )
    code, out, err = wire("wire", "convert", "--wire", "phpmq", given=b"H0100103" + packets)
    assert (code, out) == (0, b'{"job":"a","meta":{"queue":"q"},"n":1.10}\n')
    assert "/timestamp is lost: a forbidden key is not written [member_lost]" in err


def test_no_fix_quotes_a_bearer_token(wire: Run) -> None:
    name = {"type": "event", "name": "Authorization: Bearer S3CRET"}
    code, out, err = wire("wire", "convert", "--wire", "flowlayer", given=lines(name))
    assert (code, out) == (1, b"")
    assert "[unmapped_name]" in err
    assert "S3CRET" not in err
