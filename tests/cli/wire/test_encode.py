"""babelreg wire encode: the bytes of records; and decode, then encode, gives the same bytes."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

import pytest
from examples import fewer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from babelreg.cli import main
from babelreg.wire.formats.table import FORMATS

from ...wire.generated import canonical_bodies, flowlayer_messages, json_objects, phpmq_messages, strata_messages
from .conftest import PHPMQ, STRATA, lines

Run = Callable[..., tuple[int, bytes, str]]


class Stdout(io.TextIOWrapper):
    """A stream that does not close its buffer."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO())


def piped(given_bytes: bytes, *args: str) -> tuple[int, bytes]:
    """Run a command on given bytes: hypothesis runs it many times, which pytest's fixtures cannot."""
    stdin, stdout = sys.stdin, sys.stdout
    sys.stdin, sys.stdout = io.TextIOWrapper(io.BytesIO(given_bytes)), Stdout()
    try:
        with redirect_stderr(io.StringIO()), pytest.raises(SystemExit) as ended:
            main(list(args))
        return int(ended.value.code or 0), sys.stdout.buffer.getvalue()  # type: ignore[attr-defined]
    finally:
        sys.stdin, sys.stdout = stdin, stdout


def spelled(message: Any, style: int) -> bytes:
    """A message as JSON in one of several spellings, on one line but for the last."""
    if style == 0:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    if style == 1:
        return json.dumps(message, sort_keys=True).encode() + b"\r"
    return json.dumps(message, indent=1).encode() if style == 3 else b" " + json.dumps(message).encode() + b"\t"


JSON_MESSAGES = {
    "flowlayer": flowlayer_messages | json_objects,
    "strata": strata_messages | json_objects,
    "cloudevents": json_objects.map(lambda more: {"specversion": "1.0", "id": "1", "source": "/", "type": "a", **more}),
    "json": json_objects,
    "babelqueue": canonical_bodies(st.just("urn:babel:a:b")).map(json.loads),
}
BINARY = st.lists(phpmq_messages.map(FORMATS["phpmq"].encode), max_size=6).map(b"".join)


def text_streams(name: str) -> st.SearchStrategy[bytes]:
    message = st.builds(spelled, JSON_MESSAGES[name], st.integers(0, 3 if name == "babelqueue" else 2))
    return st.builds(
        lambda messages, ended: b"\n".join(messages) + (b"\n" if messages and ended else b""),
        st.lists(message, max_size=5),
        st.booleans(),
    )


@pytest.mark.parametrize("name", sorted(name for name, module in FORMATS.items() if hasattr(module, "__path__")))
@settings(max_examples=fewer(15, 30), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_decode_then_encode_is_the_identity(name: str, data: st.DataObject) -> None:
    stream = data.draw(BINARY if name == "phpmq" else text_streams(name))
    code, decoded = piped(stream, "wire", "decode", "--wire", name)
    assert code == 0
    assert piped(decoded, "wire", "encode", "--wire", name) == (0, stream)


@pytest.mark.parametrize("name", ["flowlayer", "strata", "babelqueue"])
@settings(max_examples=fewer(15, 30), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_so_it_is_for_a_whole_file(name: str, data: st.DataObject) -> None:
    stream = json.dumps(data.draw(JSON_MESSAGES[name]), indent=1).encode() + b"\n"
    code, decoded = piped(stream, "wire", "decode", "--whole", "--wire", name)
    assert code == 0
    assert piped(decoded, "wire", "encode", "--wire", name) == (0, stream)


@settings(max_examples=30, deadline=None)
@given(messages=st.lists(flowlayer_messages, max_size=5))
def test_canonical_bytes_are_those_of_the_strict_writer(messages: list[dict[str, Any]]) -> None:
    decoded = piped(b"\n".join(spelled(message, 2) for message in messages), "wire", "decode", "--wire", "flowlayer")[1]
    _, encoded = piped(decoded, "wire", "encode", "--wire", "flowlayer", "--canonical")
    expected = [FORMATS["flowlayer"].encode(message) for message in messages]
    assert encoded == b"".join(raw + b"\n" for raw in expected)


def test_deep_messages_come_back() -> None:
    raw = b'{"type":"event","name":"a","payload":' + b'{"a":' * 1022 + b"1" + b"}" * 1023 + b"\n"
    decoded = piped(raw, "wire", "decode", "--wire", "flowlayer")[1]
    assert piped(decoded, "wire", "encode", "--wire", "flowlayer") == (0, raw)


def test_a_record_written_by_hand_needs_its_message_alone(wire: Run) -> None:
    message = {"type": "001", "queue": "Foo", "content": "Hello World", "ttl": 3600}
    assert wire("wire", "encode", "--wire", "phpmq", given=lines({"message": message})) == (0, PHPMQ, "")
    assert wire("wire", "encode", "--wire", "strata", given=lines({"message": STRATA}))[:2] == (0, lines(STRATA))


@pytest.mark.parametrize(
    "name, line, message",
    [
        pytest.param("strata", b"nope\n", ":1:1: error: not JSON", id="not JSON"),
        pytest.param("strata", b"[]\n", "the line is not a JSON object", id="a list"),
        pytest.param("strata", b"{}\n", 'the record has no message: {"message": {...}}', id="no message"),
        pytest.param("strata", b'{"raw_base64": 5}\n', "raw_base64 is not base64", id="not base64"),
        pytest.param("strata", lines(STRATA), "this is a message, not a record", id="a message"),
        pytest.param("phpmq", lines({"message": {"type": "009"}}), "not 001 to 006", id="an unknown type"),
        pytest.param("strata", lines({"message": {**STRATA, "auth": {}}}), "auth has the wrong JSON type",
                     id="a message that no strict writer sends"),
        pytest.param("strata", b"[" * 5000 + b"\n", "exceeds the nesting limit of a message", id="beyond the depth"),
    ],
)  # fmt: skip
def test_a_line_that_makes_no_message_is_left_out(name: str, line: bytes, message: str, wire: Run) -> None:
    code, out, err = wire("wire", "encode", "--wire", name, given=line)
    assert (code, out) == (1, b"")
    assert message in err


def test_the_others_are_encoded(wire: Run) -> None:
    record = lines({"message": STRATA})
    code, out, err = wire("wire", "encode", "--wire", "strata", given=record + b"nope\n\n" + record)
    assert (code, out) == (1, lines(STRATA) * 2)
    assert err.startswith("<stdin>:2:1: error: ")


def test_files_without_a_last_line_feed_are_not_glued_together(wire: Run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(lines(STRATA).rstrip())
    decoded = wire("wire", "decode", "--wire", "strata", tmp_path / "a", tmp_path / "b")[1]
    assert wire("wire", "encode", "--wire", "strata", given=decoded)[1] == (lines(STRATA) * 2).rstrip()
