"""A flipped bit in the index of ids: it hides no duplicate and invents none, whoever reads it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.errors import InputError
from babelreg.lake.engine.local_engine import LocalEngine
from babelreg.lake.ingest import duplicates
from babelreg.lake.storage import id_run
from babelreg.lake.storage.log import replay
from babelreg.model import Registry
from babelreg.spark import ingest, redrive

Make = Callable[..., Registry]
URN = "urn:babel:orders:created"
SCHEMA = {"type": "object", "properties": {"id": {"type": "integer", "minimum": 1}}}
ROWS = 6


def _message(number: int, data: Any) -> bytes:
    meta = {"id": f"{number}", "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1}
    return json.dumps({"job": URN, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}).encode() + b"\n"


def _flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


@pytest.fixture
def session() -> LocalEngine:
    return LocalEngine(2)


@pytest.fixture
def home(session: Any, tmp_path: Path, make_registry: Make) -> Path:
    """An output that has read some messages; the next file holds them again, and a new one."""
    (tmp_path / "in").mkdir()
    messages = [_message(number, {"id": number + 1}) for number in range(ROWS)]
    (tmp_path / "in" / "a").write_bytes(b"".join(messages))
    assert ingest(session, make_registry({URN: SCHEMA}), tmp_path / "in", tmp_path / "out").accepted == ROWS
    (tmp_path / "in" / "b").write_bytes(b"".join([*messages, _message(ROWS, {"id": 1})]))
    return tmp_path


PLACES = {
    "a key": id_run._HEADER.size,
    "the second half of a key": id_run._HEADER.size + 8 * ROWS,
    "a content": id_run._HEADER.size + 16 * ROWS,
    "the index of blocks": id_run._HEADER.size + 32 * ROWS,
}


@pytest.mark.parametrize("slice_rows", [pytest.param(1_000, id="one task"), pytest.param(2, id="several tasks")])
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_every_duplicate_is_found_all_the_same(
    place: int, slice_rows: int, home: Path, session: Any, make_registry: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duplicates, "_SLICE_ROWS", slice_rows)
    [run] = replay.read(home / "out").index
    _flip(home / "out" / run.file, place)
    summary = ingest(session, make_registry({URN: SCHEMA}), home / "in", home / "out")
    assert (summary.accepted, summary.duplicates, summary.quarantined) == (1, ROWS, 0)
    runs = replay.read(home / "out").index
    assert run.file not in {one.file for one in runs}
    assert sum(one.rows for one in runs) == ROWS + 1
    for one in runs:
        id_run.merge(home / "checked", [id_run.IdRun(home / "out" / one.file, one.rows)])


def test_a_redrive_makes_the_index_again(home: Path, session: Any, make_registry: Make) -> None:
    bad = _message(3, {"id": -1})  # the id of an accepted message, with other data
    (home / "in" / "c").write_bytes(bad + _message(100, {"id": -1}))
    assert ingest(session, make_registry({URN: SCHEMA}), home / "in", home / "out").quarantined == 2
    for run in replay.read(home / "out").index:
        _flip(home / "out" / run.file, PLACES["a key"])
    summary = redrive(session, make_registry({URN: {"type": "object"}}), home / "out")
    assert (summary.accepted, summary.quarantined) == (1, 1)


def test_what_cannot_be_made_again_is_an_error_that_names_the_table(
    home: Path, session: Any, make_registry: Make
) -> None:
    [run] = replay.read(home / "out").index
    _flip(home / "out" / run.file, PLACES["a key"])
    [table] = replay.read(home / "out").tables[URN]
    (home / "out" / table).write_bytes(b"")
    with pytest.raises(InputError, match=Path(table).name) as raised:
        ingest(session, make_registry({URN: SCHEMA}), home / "in", home / "out")
    assert raised.value.fix
    assert replay.read(home / "out").number == 1
