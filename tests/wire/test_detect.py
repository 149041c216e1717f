"""The format of a message is known by its distinguishing members."""

from __future__ import annotations

import json

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.wire.detect import detect
from babelreg.wire.formats.table import FORMATS

from .generated import canonical_bodies, flowlayer_messages, phpmq_messages, strata_messages


@given(flowlayer_messages)
def test_flowlayer(message: dict[str, object]) -> None:
    assert detect(json.dumps(message).encode()) == "flowlayer"


@given(strata_messages.filter(lambda message: "messageType" in message or "command" in message))
def test_strata(message: dict[str, object]) -> None:
    assert detect(json.dumps(message).encode()) == "strata"


@settings(max_examples=fewer(50))
@given(canonical_bodies(st.just("urn:babel:a:b")))
def test_babelqueue(body: bytes) -> None:
    assert detect(body) == "babelqueue"


@given(phpmq_messages)
def test_phpmq(message: object) -> None:
    assert detect(FORMATS["phpmq"].encode(message)) == "phpmq"


@pytest.mark.parametrize("raw", [b"", b"H", b"H01", b"[]", b"{}", b"null", b"{", b'{"type":5}', b'{"id":"x"}', b"\xff"])
def test_anything_else_is_in_doubt(raw: bytes) -> None:
    assert detect(raw) is None
