"""Likely mistakes with messages of other formats: exit code, what is said, and a fix."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import ENVELOPE, PHPMQ, STRATA, lines

Run = Callable[..., tuple[int, bytes, str]]
PRETTY = json.dumps(STRATA, indent=2).encode()
OLD = b"H0100102P0100000000000000000000000000003FooP0200000000000000000000000000005Hello"
FLOWLAYER = lines({"type": "event", "name": "order.created"})
EVENT = {"id": 1, "messageType": "post"}

MISTAKES = [
    # (the words, standard input, exit code, what is said, the fix)
    pytest.param(["decode"], b"", 2, "`babelreg wire decode` needs --wire FORMAT", "--wire with one of: babelqueue, flowlayer", id="no format"),
    pytest.param(["decode", "--wire", "phpmg"], b"", 2, "'phpmg' is not a wire format", "did you mean phpmq?", id="a misspelt format"),
    pytest.param(["decode", "--wire", "PHPMQ"], b"", 2, "'PHPMQ' is not a wire format", "did you mean phpmq?", id="a format in capitals"),
    pytest.param(["decode", "--wire", "kafka"], b"", 2, "'kafka' is not a wire format", "use one of: ", id="no format of ours"),
    pytest.param(["decode", "--format", "phpmq"], b"", 2, "has no option --format", "--wire?", id="the format as a style"),
    pytest.param(["decode", "--from", "phpmq"], b"", 2, "has no option --from", "--wire?", id="the format as a source"),
    pytest.param(["convert", "--wire", "strata", "--to", "phpmg"], b"", 2, "'phpmg' is not a wire format", "did you mean phpmq?", id="a misspelt target"),
    pytest.param(["convert", "--to", "phpmq"], b"", 2, "`babelreg wire convert` needs --wire FORMAT", "--wire with one of", id="only a target"),
    pytest.param(["convert", "--from", "strata", "--to", "phpmq"], b"", 2, "has no option --from", "--wire?", id="a source and a target"),
    pytest.param(["convrt", "--wire", "strata"], b"", 2, "there is no command 'convrt'", "did you mean `babelreg wire convert`?", id="a misspelt command"),
    pytest.param([], b"", 2, "Usage: babelreg wire", "", id="no command"),
    pytest.param(["decode", "--wire", "strata", "nowhere.jsonl"], b"", 2, "nowhere.jsonl does not exist", "name a file of messages, or - for standard input", id="a missing file"),
    pytest.param(["decode", "--wire", "strata", "folder"], b"", 2, "folder is a folder", "babelreg wire decode --wire strata folder/*.jsonl", id="a folder"),
    pytest.param(["encode", "--wire", "strata", "folder"], b"", 2, "folder is a folder", "babelreg wire encode --wire strata folder/*.jsonl", id="a folder of records"),
    pytest.param(["decode", "--wire", "strata", "-", "-"], b"", 2, "- is given twice", "-", id="standard input twice"),
    pytest.param(["decode", "--wire", "strata", "s3://bucket/a.jsonl"], b"", 2, "is an address", "copy it to this machine", id="an address"),
    pytest.param(["decode", "--wire", "strata"], b"\x1f\x8b\x08\0", 2, "the input is compressed with gzip", "zcat FILE | babelreg", id="a packed file"),
    pytest.param(["validate", "--wire", "phpmq"], b"\x28\xb5\x2f\xfd\0", 2, "the input is compressed with zstd", "zstdcat FILE | babelreg", id="a file packed by zstd"),
    pytest.param(["convert", "--wire", "flowlayer", "--received-at", "2026-01-01"], FLOWLAYER, 2, "--received-at: '2026-01-01' is not a valid integer", "--help", id="a date for milliseconds"),
    pytest.param(["convert", "--wire", "flowlayer", "--received-at", "-5"], FLOWLAYER, 2, "--received-at: -5 is not in the range", "--help", id="a time before 1970"),
    pytest.param(["convert", "--wire", "flowlayer", "--received-at", "1749132727000000000"], FLOWLAYER, 2, "is not in the range", "--help", id="nanoseconds"),
    pytest.param(["convert", "--wire", "flowlayer", "--registry", "nowhere"], FLOWLAYER, 2, "the registry nowhere does not exist", "babelreg init nowhere", id="a missing registry"),
    pytest.param(["validate", "--wire", "phpmq", "--session"], PHPMQ, 2, "messages of phpmq have no sessions", "remove --session", id="a session of another format"),
    pytest.param(["validate", "--wire", "strata", "--registry", "."], b"", 2, "has no option --registry", "", id="a registry for envelopes alone"),
    pytest.param(["validate", "--wire", "strata", "--fail-on", "warn"], b"", 2, "--fail-on: there is no 'warn'", "did you mean warning?", id="a severity in short"),
    pytest.param(["encode", "--wire", "strata", "--strict"], b"", 2, "has no option --strict", "", id="encoding is strict"),
    pytest.param(["validate", "--wire", "flowlayer"], lines(STRATA), 1, "type is missing or empty", "did you mean --wire strata?", id="strata as flowlayer"),
    pytest.param(["validate", "--wire", "strata"], lines(ENVELOPE), 1, "[missing_m", "did you mean --wire babelqueue?", id="envelopes as strata"),
    pytest.param(["validate", "--wire", "babelqueue"], FLOWLAYER, 1, "[missing_urn]", "did you mean --wire flowlayer?", id="flowlayer as envelopes"),
    pytest.param(["validate", "--wire", "strata"], PHPMQ, 1, "[invalid_json]", "did you mean --wire phpmq?", id="phpmq as strata"),
    pytest.param(["validate", "--wire", "phpmq"], lines(STRATA), 1, "[invalid_message_flag]", "did you mean --wire strata?", id="strata as phpmq"),
    pytest.param(["convert", "--wire", "flowlayer"], lines(STRATA), 1, "[missing_type]", "did you mean --wire strata?", id="converting the wrong format"),
    pytest.param(["decode", "--wire", "strata"], PRETTY, 1, "<stdin>:1:", "--whole reads a file as one message", id="a message over several lines"),
    pytest.param(["decode", "--wire", "strata", "--whole"], lines(STRATA) * 2, 1, "<stdin>:2:1", "", id="several messages in a whole file"),
    pytest.param(["validate", "--wire", "strata"], b"[" + lines(STRATA).strip() + b"]\n", 1, "[root_not_an_object]", "jq -c '.[]' FILE", id="a list of messages"),
    pytest.param(["validate", "--wire", "flowlayer"], b"\xef\xbb\xbf" + FLOWLAYER, 1, "[invalid_json]", "remove the byte order mark", id="a byte order mark"),
    pytest.param(["validate", "--wire", "strata"], '{"id":1}'.encode("utf-16"), 1, "[invalid_utf8]", "iconv -f UTF-16", id="UTF-16"),
    pytest.param(["validate", "--wire", "phpmq"], PHPMQ.replace(b"P01", b"\nP01"), 1, "byte 8: ", "remove the line breaks", id="line breaks between packets"),
    pytest.param(["validate", "--wire", "phpmq"], PHPMQ + b"\n", 1, "[truncated]", "remove the line breaks", id="a line break at the end"),
    pytest.param(["validate", "--wire", "phpmq"], PHPMQ.replace(b"11Hello", b"10Hello"), 1, "[invalid_packet_flag]", "check the content length before it", id="a length too short"),
    pytest.param(["validate", "--wire", "phpmq"], PHPMQ.replace(b"43600", b"33600") * 2, 1, f"byte {len(PHPMQ) - 1}: ", "check the content length before it", id="a length too short at the end"),
    pytest.param(["validate", "--wire", "phpmq"], PHPMQ.replace(b"3P01", b"3p01"), 1, "byte 8: a packet begins with 'P'", "70 30 31", id="a flag in small letters"),
    pytest.param(["validate", "--wire", "phpmq"], OLD, 1, "[packet_count_mismatch]", "--compat reads messages of the revision before TTL", id="the revision before TTL"),
    pytest.param(["validate", "--wire", "strata"], lines({"offset": 0, "line": 1, "message": STRATA}), 1, "[missing_m", "pipe them through `babelreg wire encode --wire strata`", id="records for messages"),
    pytest.param(["encode", "--wire", "strata"], lines(STRATA), 1, "the record has no message", '{"message": {...}}', id="messages for records"),
    pytest.param(["encode", "--wire", "phpmq"], PHPMQ, 1, "[invalid_json]", "this is a message, not a record", id="packets for records"),
    pytest.param(["convert", "--wire", "strata"], lines({**STRATA, "context": "Orders"}), 1, "[unmapped_name]", "wires: {strata: {Orders: {created: {post: URN}}}}", id="a name that nothing maps"),
    pytest.param(["convert", "--wire", "flowlayer"], lines({"type": "event", "name": "a b"}), 1, "[unmapped_name]", 'wires: {flowlayer: {events: {"a b": URN}}}', id="a name with a blank"),
    pytest.param(["convert", "--wire", "babelqueue", "--to", "flowlayer"], lines(ENVELOPE), 1, "[unmapped_urn]", "", id="a URN without a name"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _work_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BABELREG_REGISTRY", raising=False)


@pytest.mark.parametrize("words, given, code, message, fix", MISTAKES)
def test_a_mistake_is_named_with_its_fix(
    words: list[str], given: bytes, code: int, message: str, fix: str, wire: Run
) -> None:
    ended, out, err = wire("wire", *words, given=given)
    said = out.decode() + err
    assert ended == code, said
    assert message in said
    assert fix in said
    assert "Traceback" not in said


def test_several_registries_are_not_guessed_among(wire: Run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "babelreg.yaml").write_text("version: 1\n")
    code, _, err = wire("wire", "convert", "--wire", "phpmq", given=PHPMQ)
    assert code == 2
    assert "fix: name one: --registry a" in err


def test_a_file_that_may_not_be_read(wire: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl").write_bytes(lines(STRATA))

    def refuse(self: Path, *args: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    code, _, err = wire("wire", "decode", "--wire", "strata", "a.jsonl")
    assert code == 2
    assert "cannot read a.jsonl: Permission denied" in err
