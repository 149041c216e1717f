"""The bytes of a manifest: what older versions read stays as it was, and foreign wires are named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from babelreg.errors import InputError
from babelreg.spark.lake.log import replay
from babelreg.spark.lake.log.batch_record import Batch, Consumed, SetAside, TableRows, decode, encode, sealed, unsealed

pytestmark = pytest.mark.spark

FILE = Consumed("/in", "a", 0, 9, 1, True, "f")
PACKED = replace(FILE, content_end=30, content="c", content_head="h")
BATCH = Batch(1, "ingest", 0, 0, 0, 0, False, (FILE,), {}, TableRows(0, ()), {}, {}, ())
FOREIGN = replace(BATCH, wire="phpmq", received_at=7)


@pytest.mark.parametrize(
    "batch, number",
    [
        pytest.param(BATCH, 4, id="of envelopes"),
        pytest.param(FOREIGN, 5, id="of foreign messages"),
        pytest.param(replace(FOREIGN, received_at=None), 5, id="of foreign messages with times of their own"),
        pytest.param(replace(BATCH, consumed=(FILE, replace(PACKED, name="b"))), 6, id="of compressed files"),
        pytest.param(replace(FOREIGN, consumed=(PACKED,)), 6, id="of compressed files of foreign messages"),
    ],
)
def test_a_record_comes_back_as_it_went(batch: Batch, number: int) -> None:
    content = encode(batch)
    assert decode(content, Path("000001.json")) == batch
    members = orjson.loads(content.split(b"\n", 1)[0])
    assert members["format"] == number
    assert ("wire" in members) == (batch.wire == "phpmq")


def test_a_format_of_the_future_is_told() -> None:
    line = unsealed(encode(BATCH)).replace(b'"format":4', b'"format":7', 1)
    with pytest.raises(InputError, match="written by another version"):
        decode(sealed(line), Path("000001.json"))


def test_the_wire_of_an_input_folder_is_that_of_its_batches() -> None:
    moved = replace(FILE, input="/elsewhere", moved=True)
    held = replace(FOREIGN, number=2, consumed=(moved,), set_aside=(SetAside("/held", "b", "held:truncated", 0),))
    state = replay.of([FOREIGN, held, replace(BATCH, number=3, consumed=(replace(FILE, input="/plain"),))])
    assert state.wires == {"/in": "phpmq", "/held": "phpmq"}
