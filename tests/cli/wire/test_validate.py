"""babelreg wire validate: envelopes against their format's rules, with its codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import ENVELOPE, PHPMQ, STRATA, lines

Run = Callable[..., tuple[int, bytes, str]]
COMMAND = {"type": "command", "id": "c1", "name": "start_all"}
ACK = {"type": "ack", "id": "c1", "payload": {"accepted": True}}
RESULT = {"type": "result", "id": "c1", "payload": {"ok": True}}


@pytest.mark.parametrize(
    "name, given",
    [("strata", lines(STRATA) * 3), ("flowlayer", lines(COMMAND, ACK, RESULT)), ("phpmq", PHPMQ * 3),
     ("babelqueue", lines(ENVELOPE) * 3)],
)  # fmt: skip
def test_good_messages_are_silent_and_need_no_registry(name: str, given: bytes, wire: Run) -> None:
    assert wire("wire", "validate", "--wire", name, given=given) == (0, b"", "3 messages: 3 good, 0 refused\n")


@pytest.mark.parametrize(
    "words, given, found",
    [
        pytest.param(["flowlayer"], lines({"type": "ack", "id": "c1"}), ["1:1 invalid_payload"], id="a code of the page"),
        pytest.param(["flowlayer"], b"{}\n[]\n", ["1:1 missing_type", "2:1 invalid_json"], id="two lines"),
        pytest.param(["flowlayer"], b'{"type":\n', ["1:9 invalid_json"], id="the column of the error"),
        pytest.param(["flowlayer", "--strict"], lines({**COMMAND, "scope": 1}), ["1:1 unknown_member", "1:1 id_not_uuid"],
                     id="rules for writers"),
        pytest.param(["strata"], lines({**STRATA, "timestamp": "soon"}), ["1:1 invalid_timestamp"], id="a warning"),
        pytest.param(["strata", "--strict"], lines({**STRATA, "timeout": 5}), ["1:1 not_allowed"], id="a post with a timeout"),
        pytest.param(["strata", "--whole"], b'{\n "id": 5\n}\n', ["1:1 wrong_type"], id="a whole file"),
        pytest.param(["babelqueue"], lines({**ENVELOPE, "urn": "urn:b"}), ["1:1 forbidden_key"], id="a dropped key"),
        pytest.param(["babelqueue", "--strict"], lines({**ENVELOPE, "attempts": 1}), ["1:1 wrong_const"], id="a producer's rule"),
        pytest.param(["phpmq"], b"X" + PHPMQ, ["0:0 invalid_message_flag"], id="a flag"),
        pytest.param(["phpmq"], PHPMQ[:-1], ["0:0 truncated"], id="an end within a message"),
        pytest.param(["phpmq", "--compat"], b"X" + PHPMQ[1:], [], id="the reference does not look at flags"),
        pytest.param(["flowlayer", "--session"], lines(COMMAND, ACK, RESULT), [], id="a whole session"),
        pytest.param(["flowlayer", "--session"], lines(ACK, RESULT, RESULT),
                     ["1:1 ack_without_command", "3:1 result_repeated"], id="a broken session"),
        pytest.param(["flowlayer"], lines(ACK, RESULT, RESULT), [], id="a recording that begins in mid-session"),
        pytest.param(["flowlayer", "--session"], lines(COMMAND), ["0:0 command_open"], id="an open command"),
    ],
)  # fmt: skip
def test_findings_have_place_and_code(words: list[str], given: bytes, found: list[str], wire: Run) -> None:
    code, out, _ = wire("wire", "validate", "--format", "json", "--wire", *words, given=given)
    findings = json.loads(out)
    assert [f"{f['line']}:{f['column']} {f['code']}" for f in findings] == found
    assert code == int(any(f["severity"] == "error" for f in findings))


def test_a_binary_error_has_offset_and_hex_view(wire: Run) -> None:
    given = PHPMQ + PHPMQ.replace(b"P02", b"Q02")
    (finding,) = json.loads(wire("wire", "validate", "--wire", "phpmq", "--format", "json", given=given)[1])
    at = len(PHPMQ) + PHPMQ.index(b"P02")
    assert (finding["offset"], finding["line"], finding["code"]) == (at, 0, "invalid_packet_flag")
    assert finding["message"].startswith(f"byte {at}: ")
    assert any("51 30 32" in row and "Q02" in row for row in finding["excerpt"])


def test_a_file_is_a_session_of_its_own(wire: Run, tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_bytes(lines(COMMAND))
    second.write_bytes(lines(ACK))
    words = ["--wire", "flowlayer", "--session", "--format", "json"]
    found = json.loads(wire("wire", "validate", *words, first, second)[1])
    assert [(Path(f["path"]).name, f["code"]) for f in found] == [
        ("a.jsonl", "command_open"), ("b.jsonl", "ack_without_command"), ("b.jsonl", "command_open"),
    ]  # fmt: skip


@pytest.mark.parametrize("style", ["text", "json", "jsonl", "github", "sarif", "junit", "gitlab", "markdown"])
@pytest.mark.parametrize("name, given", [("strata", lines({**STRATA, "auth": 5, "payload": 5})), ("phpmq", PHPMQ[:40])])
def test_every_style_reports_the_codes(style: str, name: str, given: bytes, wire: Run) -> None:
    code, out, _ = wire("wire", "validate", "--wire", name, "--format", style, given=given)
    assert code == 1
    assert (b"wrong_type" if name == "strata" else b"truncated") in out


def test_a_report_in_a_file_is_an_array_too(wire: Run, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    wire("wire", "validate", "--wire", "flowlayer", "--output", f"json:{report}", given=b"{}\n")
    assert [f["code"] for f in json.loads(report.read_text())] == ["missing_type"]


def test_warnings_fail_on_demand(wire: Run) -> None:
    given = lines({**STRATA, "timestamp": "soon"})
    assert wire("wire", "validate", "--wire", "strata", given=given)[0] == 0
    assert wire("wire", "validate", "--wire", "strata", "--fail-on", "warning", given=given)[0] == 1


@pytest.mark.parametrize(
    "name, message",
    [
        ("strata", {**STRATA, "payload": {"name": "\ud800"}}),
        ("flowlayer", {**COMMAND, "payload": {"a": ["\udfff"]}}),
        ("babelqueue", {**ENVELOPE, "data": {"\ud800": 1}}),
    ],
)
def test_half_a_surrogate_pair_is_refused_as_its_writer_refuses_it(
    name: str, message: dict[str, object], wire: Run
) -> None:
    code, out, _ = wire("wire", "validate", "--wire", name, "--strict", given=lines(message))
    assert (code, out.count(b"[not_json]")) == (1, 1)
    assert b"the message cannot be written as JSON" in out
    code, _, _ = wire("wire", "validate", "--wire", name, "--compat", given=lines(message))
    assert code == 0


def test_an_empty_frame_of_flowlayer_is_invalid_json(wire: Run) -> None:
    code, out, _ = wire("wire", "validate", "--wire", "flowlayer", "--whole", given=b"")
    assert code == 1
    assert b"[invalid_json]" in out


def test_strict_accepts_a_request_of_a_client_that_names_neither_its_queue_nor_itself(wire: Run) -> None:
    request = {name: value for name, value in STRATA.items() if name != "client"} | {"messageType": "request"}
    code, out, _ = wire("wire", "validate", "--wire", "strata", "--strict", given=lines(request))
    assert (code, out) == (0, b"")
