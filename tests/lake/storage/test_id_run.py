"""Sorted files of ids, against a plain dictionary."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.lake.storage import id_run

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import id_runs

KEYS = st.one_of(
    st.binary(min_size=16, max_size=16),
    # Few first halves: what a search for the first half alone would take for one id.
    st.tuples(st.sampled_from([b"\0" * 8, b"\xff" * 8, b"\x7f" * 8]), st.binary(min_size=8, max_size=8)).map(b"".join),
)


def _write(path: Path, known: dict[bytes, bytes]) -> Path:
    id_run.write(path, id_run.IdRecords.of(b"".join(known), b"".join(known.values())))
    return path


@settings(max_examples=60, deadline=None)
@given(
    known=st.dictionaries(KEYS, st.binary(min_size=16, max_size=16), min_size=1, max_size=40),
    others=st.lists(KEYS, max_size=20),
    parts=st.integers(1, 4),
    merged=st.booleans(),
    rows=st.integers(1, 50),
)
def test_runs_know_what_a_dictionary_knows(
    known: dict[bytes, bytes],
    others: list[bytes],
    parts: int,
    merged: bool,
    rows: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    pieces = [dict(list(known.items())[n::parts]) for n in range(parts)]
    runs = [_write(folder / f"{n}.ids", piece) for n, piece in enumerate(pieces) if piece]
    if merged:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(id_run, "_SLICE_ROWS", rows)
            assert id_run.merge(folder / "all.ids", [id_run.IdRun(run) for run in runs]) == len(known)
        runs = [folder / "all.ids"]
        assert np.all(np.diff(id_run.IdRun(runs[0]).high.astype(object)) >= 0)
    asked = [*known, *others]
    assert id_runs.lookup(runs, b"".join(asked)) == [known.get(key) for key in asked]


def test_nothing_is_known_of_no_ids_and_in_no_runs(tmp_path: Path) -> None:
    run = _write(tmp_path / "a.ids", {b"k" * 16: b"c" * 16})
    assert (id_runs.lookup([run], b""), id_runs.lookup([], b"k" * 16)) == ([], [None])


def _flip(place: int) -> Callable[[Path], object]:
    def damage(path: Path) -> object:
        content = bytearray(path.read_bytes())
        content[place] ^= 1
        return path.write_bytes(content)

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda path: path.unlink(), id="it is gone"),
        pytest.param(lambda path: path.write_bytes(b""), id="it is empty"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:-1]), id="it is cut off"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes() + b"x"), id="something was added"),
        pytest.param(_flip(0), id="it begins with something else"),
        pytest.param(_flip(8), id="it says another number of rows"),
        pytest.param(_flip(20), id="its check sums changed"),
        pytest.param(_flip(39), id="its padding changed"),
        pytest.param(_flip(-1), id="the check sum of a block changed"),
    ],
)
def test_a_damaged_run_is_noticed_when_it_is_opened(damage: Callable[[Path], object], tmp_path: Path) -> None:
    run = _write(tmp_path / "a.ids", {b"k" * 16: b"c" * 16, b"l" * 16: b"d" * 16})
    damage(run)
    with pytest.raises(id_run.DamagedIdRun):
        id_run.IdRun(run)


@pytest.mark.parametrize("place", [40, 55, 56, 71, 72, 103])
def test_a_changed_byte_is_noticed_when_runs_are_merged(place: int, tmp_path: Path) -> None:
    run = _write(tmp_path / "a.ids", {b"k" * 16: b"c" * 16, b"l" * 16: b"d" * 16})
    _flip(place)(run)
    with pytest.raises(id_run.DamagedIdRun):
        id_run.merge(tmp_path / "b.ids", [id_run.IdRun(run)])


def _rows(count: int) -> dict[bytes, bytes]:
    """Rows of which some agree in the first half of their key."""
    halves = [(n // 2 * (2**64 // count)).to_bytes(8, "big") for n in range(count)]
    return {half + bytes([n % 2]) * 8: n.to_bytes(16, "big") for n, half in enumerate(halves)}


def test_every_bit_of_every_byte_is_noticed_or_changes_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(id_run, "_BLOCK_ROWS", 3)
    known = _rows(7)
    run = _write(tmp_path / "a.ids", known)
    content, noticed = run.read_bytes(), 0
    asked = b"".join([*known, b"\0" * 15 + b"\1", b"\xff" * 16])
    right = id_runs.lookup([run], asked)
    assert right == [*known.values(), None, None]
    for place in range(len(content)):
        for bit in range(8):
            flipped = bytearray(content)
            flipped[place] ^= 1 << bit
            run.write_bytes(flipped)
            try:
                assert id_runs.lookup([run], asked) == right, (place, bit)
            except id_run.DamagedIdRun:
                noticed += 1
    assert noticed == 8 * len(content)


@pytest.mark.parametrize("place", [40, 40 + 8 * 2_000, 40 + 16 * 2_000], ids=["a key", "its second half", "a content"])
def test_damage_in_a_block_that_is_not_read_changes_nothing(place: int, tmp_path: Path) -> None:
    known = _rows(2_000)
    run = _write(tmp_path / "a.ids", known)
    _flip(place)(run)
    last = [*known][-1]
    assert id_runs.lookup([run], last) == [known[last]]
    with pytest.raises(id_run.DamagedIdRun):
        id_runs.lookup([run], [*known][1])


@pytest.mark.parametrize("rows", [2_000, 20_000, 200_000])
def test_a_key_takes_one_block_however_many_rows_there_are(
    rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = _rows(rows)
    run, blocks = _write(tmp_path / "a.ids", known), []
    read = id_run.IdRun._block
    monkeypatch.setattr(id_run.IdRun, "_block", lambda self, number: (blocks.append(number), read(self, number))[1])
    keys = [*known][101 :: rows // 10]
    assert id_runs.lookup([run], b"".join(keys)) == [known[key] for key in keys]
    assert len(blocks) == len(set(blocks)) <= len(keys)
    blocks.clear()
    assert id_runs.lookup([run], b"".join(known)) == [*known.values()]
    assert blocks == list(range(-(-rows // id_run._BLOCK_ROWS)))


def test_another_run_under_the_name_is_noticed(tmp_path: Path) -> None:
    run = _write(tmp_path / "a.ids", {b"k" * 16: b"c" * 16})
    with pytest.raises(id_run.DamagedIdRun):
        id_run.IdRun(run, 2)
