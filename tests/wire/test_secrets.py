"""Secrets of Strata messages: masked in the text that is stored, absent from envelopes, errors and reprs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.wire.format import Frame, Receipt, WireError
from babelreg.wire.formats import strata
from babelreg.wire.formats.strata.models import parse
from babelreg.wire.formats.strata.secrets import mask, without_secrets

from .generated import strata_messages

EXAMPLES = settings(max_examples=100, deadline=None)
MESSAGE = {"id": "a", "messageType": "response", "context": "a", "operation": "b", "timestamp": "2024-06-25T04:08:22.000Z",
           "status": "failed", "auth": "S3CRET-1", "service": "s",
           "messages": [{"severity": "error", "message": "m", "stack": "S3CRET-2"}]}  # fmt: skip


def stripped(value: Any) -> Any:
    """The message with ``"***"`` for each secret, made from the value."""
    bare, pointers = without_secrets(value)
    again = json.loads(json.dumps(value))
    for spelled in pointers:
        *above, last = spelled.split("/")[1:]
        node = again
        for step in above:
            node = node[int(step)] if isinstance(node, list) else node[step]
        node[last] = "***"
    assert without_secrets(again)[0] == bare
    return again


@EXAMPLES
@given(strata_messages, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_masking_replaces_the_secrets_and_no_other_byte(value: dict[str, Any], indent: Any, ascii_only: bool) -> None:
    raw = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode()
    masked = mask(raw)
    assert masked == json.dumps(stripped(value), indent=indent, ensure_ascii=ascii_only).encode() or indent is not None
    assert json.loads(masked) == stripped(value)
    assert mask(masked) == masked


def test_a_message_without_the_names_of_secrets_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strata.secrets, "decode", lambda raw: pytest.fail("it is read"))
    raw = json.dumps({**MESSAGE, "auth": None}).replace("auth", "a").replace("stack", "s").encode()
    assert mask(raw) == raw
    assert mask(raw[:-1]) == raw[:-1]


@EXAMPLES
@given(strata_messages, st.text(), st.sampled_from([None, 1, "\t"]), st.sampled_from([None, 1, -1]))
def test_a_request_with_one_auth_is_masked_as_any_other(
    value: dict[str, Any], secret: str, indent: Any, cut: int | None
) -> None:
    bare = without_secrets(value)[0]
    inner = {"auth": secret}
    for message in (
        {**bare, **inner},
        {**inner, **bare},
        {"payload": inner, **bare},
        {**bare, "payload": inner},
        [inner],
        "auth",
    ):
        raw = json.dumps(message, indent=indent, ensure_ascii=False).encode("utf-8", "replace")[:cut]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(strata.secrets, "_with_one_auth", lambda raw, lower: None)
            slowly = mask(raw)
        assert mask(raw) == slowly


@pytest.mark.parametrize("cut", range(1, 14))
def test_a_message_cut_short_anywhere_shows_no_secret(cut: int) -> None:
    raw = json.dumps(MESSAGE).encode()
    for end in range(len(raw)):
        for part in (raw[:end], raw[: end // cut * cut] + b"\xff", raw[:end] + b"}" * cut):
            masked = mask(part)
            assert b"S3CRET-1" not in masked
            assert b"S3CRET-2" not in masked


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"{'auth': 'S3CRET'}", id="single quotes"),
        pytest.param(b"{auth: S3CRET}", id="no quotes"),
        pytest.param(b'{"AUTH":"S3CRET",}', id="capital letters in what is not JSON"),
        pytest.param(b'{"auth":{"a":["S3CRET"', id="an object cut short"),
        pytest.param(b'{"\\u0061uth":"S3CRET"', id="an escaped key cut short"),
        pytest.param(b'{"auth":"a","\\u0061uth":"S3CRET"', id="an escaped key beside a plain one"),
        pytest.param(b'{"\\u0061uth":"a\\u0022 S3CRET"', id="an escaped quote in an escaped key's value"),
        pytest.param(b'{"m":"{\\"auth\\":\\"Bearer S3CRET\\"}"', id="a message in a string"),
        pytest.param(b'{"m":"{\\\\\\"auth\\\\\\":\\\\\\"a S3CRET\\\\\\"}"', id="a message in a string in a string"),
        pytest.param(b"auth: Bearer S3CRET", id="a header"),
        pytest.param(b"%7B%22auth%22%3A%22S3CRET%22%7D", id="percent-encoded"),
        pytest.param(json.dumps(MESSAGE).replace("S3CRET-1", "S3CRET").encode("utf-16"), id="UTF-16"),
        pytest.param(json.dumps(MESSAGE).encode("utf-32-le"), id="UTF-32"),
        pytest.param(b"\xef\xbb\xbf" + json.dumps(MESSAGE).encode(), id="a byte order mark"),
        pytest.param(json.dumps([MESSAGE]).encode(), id="an array of messages"),
        pytest.param(json.dumps({"request": MESSAGE}).encode(), id="a message in another object"),
        pytest.param((json.dumps(MESSAGE) * 2).encode(), id="two messages on a line"),
        pytest.param(json.dumps({**MESSAGE, "status": "odd"}).encode(), id="a defective message"),
    ],
)
def test_what_is_not_a_message_shows_no_secret_either(raw: bytes) -> None:
    masked = mask(raw)
    assert b"S3CRET" not in masked
    assert b"S\0" not in masked


@pytest.mark.parametrize("raw", [b"", b"{}", b"plain text", b"\xff", b'{"authority":"x","stacked":1}', b"[1,2"])
def test_what_holds_no_secret_stays_as_it_is(raw: bytes) -> None:
    assert mask(raw) == raw


def test_no_error_and_no_repr_quotes_a_secret() -> None:
    raw = json.dumps(MESSAGE).encode()
    message = parse(MESSAGE)
    frame = Frame(MESSAGE, raw)
    shown = [
        repr(message),
        repr(frame),
        str(strata.validate({**MESSAGE, "auth": [], "messages": [{"stack": "S3CRET-2"}]})),
    ]
    for broken in (raw[:-1], raw.replace(b'"a"', b"5")):
        try:
            shown.append(str(strata.validate(strata.decode(broken))))
            strata.to_canonical(Frame(strata.decode(broken), broken), Receipt("0", 0))
        except WireError as err:
            shown.append(f"{err} {err!r} {err.diagnostic()}")
    assert len(shown) == 6
    assert "S3CRET" not in "".join(shown)


def test_a_repr_of_the_typed_request_shows_no_auth() -> None:
    request = {**MESSAGE, "messageType": "request"}
    assert "S3CRET" not in repr(parse({key: request[key] for key in request if key not in ("status", "messages")}))
