"""babelreg wire decode: a record a message."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import ENVELOPE, PHPMQ, STRATA, lines

Run = Callable[..., tuple[int, bytes, str]]


def records(out: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.splitlines()]


def test_a_stream_of_packets_is_a_record_a_message(wire: Run) -> None:
    code, out, err = wire("wire", "decode", "--wire", "phpmq", given=PHPMQ * 2)
    message = {"type": "001", "name": "MessageClientToServer", "queue": "Foo", "content": "Hello World", "ttl": 3600}
    assert (code, err) == (0, "")
    assert records(out) == [{"offset": 0, "message": message}, {"offset": len(PHPMQ), "message": message}]


def test_a_line_is_a_record_with_its_number(wire: Run, tmp_path: Path) -> None:
    first = tmp_path / "a.jsonl"
    first.write_bytes(lines(STRATA) + b"\n" + lines(STRATA))
    code, out, _ = wire("wire", "decode", "--wire", "strata", first)
    found = records(out)
    assert code == 0
    assert [record["line"] for record in found] == [1, 3]
    assert [record["message"] for record in found] == [STRATA, STRATA]


@pytest.mark.parametrize(
    "name, raw",
    [
        pytest.param("strata", b'{"id": "x", "command": "info"}', id="blanks"),
        pytest.param("flowlayer", b'{"type":"event","name":"a","payload":{"v":1.10}}', id="the spelling of a number"),
        pytest.param("flowlayer", b'{"type":"event","type":"event","name":"a"}', id="a repeated key"),
        pytest.param("flowlayer", b'{"type":"event","name":"\\ud83d"}', id="an unpaired surrogate"),
        pytest.param("flowlayer", b'{"type":"event","name":"a"}\r', id="a carriage return"),
        pytest.param("babelqueue", b'{"urn":"urn:a","trace_id":"t","meta":{}}', id="the alias"),
        pytest.param("phpmq", PHPMQ[:8] + PHPMQ[86:] + PHPMQ[8:86], id="packets in another order"),
    ],
)
def test_other_bytes_than_the_encoders_are_kept(name: str, raw: bytes, wire: Run) -> None:
    code, out, err = wire("wire", "decode", "--wire", name, given=raw if name == "phpmq" else raw + b"\n")
    (record,) = records(out)
    assert (code, err) == (0, "")
    assert base64.b64decode(str(record["raw_base64"])) == raw


def test_a_whole_file_is_one_message(wire: Run, tmp_path: Path) -> None:
    file = tmp_path / "message.json"
    file.write_bytes(json.dumps(STRATA, indent=2).encode() + b"\n")
    code, out, _ = wire("wire", "decode", "--wire", "strata", "--whole", file)
    assert code == 0
    assert [record["message"] for record in records(out)] == [STRATA]


def test_secrets_are_in_the_records_alone(wire: Run) -> None:
    broken = b'{"id":"x","auth":"S3CRET",\n'
    code, out, err = wire("wire", "decode", "--wire", "strata", given=lines({**STRATA, "auth": "S3CRET"}) + broken)
    assert code == 1
    assert [record["message"]["auth"] for record in records(out)] == ["S3CRET"]  # type: ignore[index]
    assert "S3CRET" not in err
    assert err.startswith("<stdin>:2:")


def test_a_bad_line_costs_itself_alone(wire: Run) -> None:
    code, out, err = wire("wire", "decode", "--wire", "babelqueue", given=lines(ENVELOPE) + b"nope\n" + lines(ENVELOPE))
    assert code == 1
    assert [record["line"] for record in records(out)] == [1, 3]
    assert err.startswith("<stdin>:2:1: error: ")


def test_after_an_error_a_packet_stream_is_over(wire: Run) -> None:
    code, out, err = wire("wire", "decode", "--wire", "phpmq", given=PHPMQ + b"\n" + PHPMQ)
    assert code == 1
    assert len(records(out)) == 1
    assert f"<stdin>: error: byte {len(PHPMQ)}: " in err
    assert "  bytes: " in err
    assert "remove the line breaks" in err


def test_a_file_without_messages_is_noted(wire: Run) -> None:
    assert wire("wire", "decode", "--wire", "phpmq") == (0, b"", "<stdin> contains no message\n")
    assert wire("wire", "decode", "--wire", "strata", "-q", given=b"\n \n") == (0, b"", "")
