"""The bytes of a manifest: what older versions read stays as it was, and foreign wires are named."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from babelreg.errors import InputError
from babelreg.lake.storage.log import replay
from babelreg.lake.storage.log.batch_record import (
    RESTORE,
    Batch,
    Consumed,
    SetAside,
    SortedFileRecord,
    TableRows,
    decode,
    encode,
    sealed,
    unsealed,
)

pytestmark = pytest.mark.spark

FILE = Consumed("/in", "a", 0, 9, 1, True, "f")
PACKED = FILE._replace(content_end=30, content="c", content_head="h")
BATCH = Batch(1, "ingest", 0, 0, 0, 0, False, (FILE,), {}, TableRows(0, ()), {}, {}, ())
FOREIGN = replace(BATCH, wire="phpmq", received_at=7)


@pytest.mark.parametrize(
    "batch, number",
    [
        pytest.param(BATCH, 4, id="of envelopes"),
        pytest.param(FOREIGN, 5, id="of foreign messages"),
        pytest.param(replace(FOREIGN, received_at=None), 5, id="of foreign messages with times of their own"),
        pytest.param(replace(BATCH, consumed=(FILE, PACKED._replace(name="b"))), 6, id="of compressed files"),
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
    moved = FILE._replace(input="/elsewhere", moved=True)
    held = replace(FOREIGN, number=2, consumed=(moved,), set_aside=(SetAside("/held", "b", "held:truncated", 0),))
    state = replay.of([FOREIGN, held, replace(BATCH, number=3, consumed=(FILE._replace(input="/plain"),))])
    assert state.wires == {"/in": "phpmq", "/held": "phpmq"}


def forged(pointer: tuple[str | int, ...], value: object) -> bytes:
    """Return a manifest with a right check sum and another value at a place."""
    members = orjson.loads(unsealed(encode(WRITTEN)))
    place = members
    for step in pointer[:-1]:
        place = place[step]
    place[pointer[-1]] = value
    return sealed(orjson.dumps(members, option=orjson.OPT_APPEND_NEWLINE))


RUN = SortedFileRecord("ids/000001.run", 3)
WRITTEN = replace(
    BATCH, read=3, accepted=2, quarantined=1, tables={"urn:a": TableRows(2, ("tables/a.parquet",))}, index=(RUN,)
)


@pytest.mark.parametrize(
    "pointer, value, told",
    [
        pytest.param(("tables", "urn:a", "rows"), "2", "'tables.urn:a.rows' is not an integer", id="a count as text"),
        pytest.param(("tables", "urn:a", "files"), [["x"]], "'tables.urn:a.files[0]' is not a string", id="a list"),
        pytest.param(("tables",), [], "'tables' is not an object", id="an array of tables"),
        pytest.param(("index", 0, "rows"), None, "'index[0].rows' is not an integer", id="null rows"),
        pytest.param(("kind",), "other", "'kind' is not one of", id="an unknown kind"),
        pytest.param(("consumed", "/in", "a", 1), "9", "'consumed./in.a' is not the record of a file", id="an end"),
        pytest.param(("consumed", "/in", "a", 0), 10, "'consumed./in.a' is not the record of a file", id="backwards"),
        pytest.param(("consumed", "/in"), [], "is not a manifest", id="an array of consumed files"),
        pytest.param(("removed",), [[1]], "'removed[0]' is not an integer", id="a list of a batch"),
        pytest.param(("read",), -3, "a count is negative", id="a number of messages below zero"),
        pytest.param(("tables", "urn:a", "rows"), -1, "a count is negative", id="less than nothing"),
        pytest.param(("grace_seconds",), -1, "a count is negative", id="a time in the past"),
        pytest.param(("surprise",), 1, "without a member 'surprise'", id="an unknown member"),
    ],
)
def test_a_value_of_another_type_is_an_error_despite_the_check_sum(
    pointer: tuple[str | int, ...], value: object, told: str
) -> None:
    with pytest.raises(InputError, match=re.escape(told)) as refused:
        decode(forged(pointer, value), Path("000001.json"))
    assert "000001.json is not a manifest of a batch" in str(refused.value)
    assert refused.value.fix == RESTORE


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "..", "a\\..\\x", "", "a//b", "./a", "a\0"])
@pytest.mark.parametrize("pointer", [("tables", "urn:a", "files"), ("quarantine", "files"), ("replaced",)])
def test_a_file_outside_the_lake_is_refused(pointer: tuple[str, ...], name: str) -> None:
    """A replaced file is removed by a later run."""
    with pytest.raises(InputError, match="is not the path of a file below the lake"):
        decode(forged(pointer, [name]), Path("000001.json"))
