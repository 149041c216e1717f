"""Bearer tokens of FlowLayer's handshake are masked wherever a recording quotes them."""

from __future__ import annotations

import pytest

from babelreg.wire.format import Frame, Receipt
from babelreg.wire.formats import flowlayer


@pytest.mark.parametrize(
    "raw, masked",
    [
        pytest.param(b"Authorization: Bearer aB.c-_~+/9==\r", b"Authorization: Bearer ***\r", id="a header"),
        pytest.param(b"AUTHORIZATION:bearer x", b"AUTHORIZATION:bearer ***", id="any case"),
        pytest.param(b'{"Authorization": "Bearer x"}', b'{"Authorization": "Bearer ***"}', id="a member"),
        pytest.param(
            b'"{\\"authorization\\":\\"Bearer a\\/b\\"}"', b'"{\\"authorization\\":\\"Bearer ***\\"}"', id="quoted"
        ),
        pytest.param(
            b'"\\u0041uthorization: B\\u0065arer\\u0020x"',
            b'"\\u0041uthorization: B\\u0065arer\\u0020***"',
            id="escaped",
        ),
        pytest.param(
            b'{"\\u0041uthorization":"Bearer x"', b'{"\\u0041uthorization":"Bearer ***"', id="escaped, cut short"
        ),
        pytest.param(
            b'"Authorization: Bearer a%2Bb"', b'"Authorization: Bearer ***"', id="a token with percent escapes"
        ),
        pytest.param(b"Authorization%3A%20Bearer%20x", b"Authorization%3A%20Bearer%20***", id="percent-encoded"),
        pytest.param(b'Authorization: Bearer \\"x\\"', b'Authorization: Bearer \\"***\\"', id="a token in quotes"),
        pytest.param(b'{"message":"sent Bearer S3CRET"}', b'{"message":"sent Bearer ***"}', id="a token alone"),
        pytest.param(b"bearer eyJhbGciOiJ.IUzI.x", b"bearer ***", id="a token alone, in any case"),
        pytest.param(b"Bearer abcdefghijklmnopqrst", b"Bearer ***", id="a long token alone"),
        pytest.param(b"bearer bonds of 1930", b"bearer bonds of 1930", id="prose with a number stays"),
        pytest.param(b"the bearer of bad news", b"the bearer of bad news", id="prose stays"),
        pytest.param(b"Authorization: Bearer ***", b"Authorization: Bearer ***", id="masked text stays"),
        pytest.param(b'{"type":"ack"}', b'{"type":"ack"}', id="a message without"),
        pytest.param(
            b'{"type":"event","name":"log","auth" : {"token":[1]},"payload":{"auth":"theirs"}}',
            b'{"type":"event","name":"log","auth" : "***","payload":{"auth":"theirs"}}',
            id="a member beside the envelope's, not one of the payload",
        ),
        pytest.param(
            b'{"type":"event","name":"log","\\u0061uth":"x"}',
            b'{"type":"event","name":"log","\\u0061uth":"***"}',
            id="a name that is escaped",
        ),
        pytest.param(
            b'{"type":"x","payload":{"authorization":"Basic x"}}',
            b'{"type":"x","payload":{"authorization":"***"}}',
            id="a message with defects: every such member",
        ),
        pytest.param(b'{"auth":"x y",', b'{"auth":"***",', id="a broken message"),
    ],
)
def test_a_token_is_masked_and_every_other_byte_stays(raw: bytes, masked: bytes) -> None:
    assert flowlayer.mask(raw) == masked
    assert flowlayer.mask(masked) == masked


def test_a_token_in_a_log_entry_does_not_enter_the_canonical_form() -> None:
    entry = {"message": "sent Authorization: Bearer S3CRET"}
    raw = flowlayer.encode({"type": "event", "name": "log", "payload": {"entry": entry}})
    frame, receipt = Frame(flowlayer.decode(raw), raw), Receipt("f:0", 0, "mtime")
    canonical = flowlayer.to_canonical(frame, receipt)
    assert canonical.body is not None
    assert b"S3CRET" not in canonical.body
    assert [loss.code for loss in canonical.losses] == ["secret_removed"]
    masked = flowlayer.mask(raw)
    assert flowlayer.to_canonical(Frame(flowlayer.decode(masked), masked), receipt).body == canonical.body
