"""Dead-letter records of bodies that are not envelopes."""

from __future__ import annotations

import json

import pytest
from babelqueue._poison_record import build_poison_record  # tests may: the record is part of the specification
from babelqueue.transport import ReceivedMessage
from hypothesis import given
from hypothesis import strategies as st

from babelreg.runtime.bytes.dead_letter import poison

PARTS = [
    "{", "}", "[", "]", ":", ",", " ", "\n", "{}", '"a"', '{"a":1}', '"dead_letter"', '{"x":{"dead_letter":1}}', "1",
    "1e400", "NaN", '"\\ud800"', '"\\ud83d\\ude00"', "é", "\udc80", "\ud800", '\\"', "\ufeff",
]  # fmt: skip


def theirs_and_ours(body: str) -> tuple[str, str]:
    ours = poison(ReceivedMessage(body, "orders"), "malformed")
    return build_poison_record(body, json.loads(ours)["dead_letter"]), ours


@given(st.lists(st.sampled_from(PARTS), max_size=7), st.booleans())
def test_the_record_is_that_of_babelqueue(parts: list[str], object_around: bool) -> None:
    body = "".join(parts)
    theirs, ours = theirs_and_ours(f'{{"k":{body}}}' if object_around else body)
    assert ours == theirs


@pytest.mark.parametrize(
    "body, kept",
    [
        pytest.param('{"n": 1.10, "n": 2}', '{"n": 1.10, "n": 2,', id="an object keeps its bytes"),
        pytest.param(" { } ", '{"dead_letter"', id="an empty object has no comma"),
        pytest.param('{"dead_letter":1}', '{"raw":"{\\"dead_letter\\":1}",', id="a block that exists is not replaced"),
        pytest.param('{"n":NaN}', '{"raw":"{\\"n\\":NaN}",', id="what is not strict JSON is wrapped"),
        pytest.param("\udcff{", '{"raw":"/3s=","raw_encoding":"base64",', id="invalid UTF-8 is in base64"),
        pytest.param("[" * 100_000, '{"raw":"[[', id="deep nesting is wrapped"),
    ],
)
def test_the_record_keeps_the_body(body: str, kept: str) -> None:
    theirs, ours = theirs_and_ours(body)
    assert ours.startswith(kept)
    assert ours == theirs
