"""What all batches say together, by checkpoints and without."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.errors import InputError
from babelreg.lake.storage.log import manifest, replay
from babelreg.lake.storage.log.batch_record import sealed, unsealed
from babelreg.lake.storage.log.manifest import Batch, Consumed, SortedFileRecord, TableRows
from babelreg.lake.storage.log.replay import LakeState

URNS = ["urn:babel:orders:created", "urn:babel:billing:paid", "urn:babel:media:thumbnail.make"]


def _batches(seed: int, count: int) -> list[Batch]:
    """Batches that add files, replace some of those that count, remove what was replaced, and read files again."""
    chance, found = random.Random(seed), []
    live: dict[str, list[str]] = {urn: [] for urn in URNS}
    waiting: list[int] = []
    for number in range(1, count + 1):
        gone = [name for names in live.values() for name in names if chance.random() < 0.2]
        for names in live.values():
            names[:] = [name for name in names if name not in gone]
        tables = {urn: TableRows(1, (f"{urn}-{number}",), {f"c{chance.randrange(3)}": "BIGINT"}) for urn in URNS[:2]}
        for urn, table in tables.items():
            live[urn] += table.files
        removed = tuple(one for one in waiting if chance.random() < 0.3)
        waiting = [one for one in waiting if one not in removed] + [number] * bool(gone)
        read = tuple(Consumed("/in", f"{n}", 0, number, n, n > 2, f"{n}") for n in chance.sample(range(5), 2))
        counts = {"read": 1, "accepted": 1, "duplicates": 0, "quarantined": 0}
        found.append(
            Batch(
                number,
                "ingest",
                **counts,
                keeps_duplicates=False,
                consumed=read,
                tables=tables,
                quarantine=TableRows(1, (f"q-{number}",)),
                reasons={},
                repeated={},
                index=(SortedFileRecord(f"ids-{number}", number),),
                replaced=tuple(gone),
                grace_seconds=number,
                removed=removed,
            )
        )
    return found


def _write(output: Path, batches: list[Batch]) -> None:
    (output / manifest.FOLDER).mkdir(parents=True, exist_ok=True)
    for batch in batches:
        manifest.write(output, batch)


def _fold(output: Path, batches: list[Batch]) -> None:
    """Write batches one by one, as runs do, with checkpoints."""
    for batch in batches:
        replay.checkpoint(output, replay.read(output))
        _write(output, [batch])
    replay.checkpoint(output, replay.read(output))


def _state(output: Path) -> LakeState:
    """What is read, as if every manifest had been."""
    return replace(replay.read(output), checkpoint=0)


@settings(max_examples=fewer(15, 25), deadline=None)
@given(seed=st.integers(0, 2**32), steps=st.lists(st.integers(0, 4), max_size=6))
def test_with_checkpoints_it_is_what_all_manifests_say(
    seed: int, steps: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    output, written = tmp_path_factory.mktemp("out"), 0
    batches = _batches(seed, sum(steps))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "EVERY", 3)
        for step in steps:
            _write(output, batches[written : written + step])
            written += step
            assert _state(output) == replay.of(batches[:written]) == replay.of(manifest.read(output))
            replay.checkpoint(output, replay.read(output))
            assert _state(output) == replay.of(batches[:written])
            assert written - replay.read(output).checkpoint < 3
    assert len(list(output.glob("manifest/*.state"))) <= 2


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def _with(**other: object) -> Callable[[Path], object]:
    """Return damage that gives a checkpoint other members, and a check sum that is right."""

    def forge(path: Path) -> None:
        members = orjson.loads(unsealed(path.read_bytes()))
        path.write_bytes(sealed(orjson.dumps({**members, **other}) + b"\n"))

    return forge


def _of_other_manifests(path: Path) -> None:
    batch = manifest.read_batch(path.parents[1], 4)
    manifest.write(path.parents[1], replace(batch, reasons={"poison": 1}))


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(Path.unlink, id="gone"),
        pytest.param(_cut, id="cut off"),
        pytest.param(lambda path: path.write_bytes(b"[]\n{}"), id="something else"),
        pytest.param(lambda path: path.write_bytes(b""), id="empty"),
        pytest.param(_with(format=99), id="of a later version"),
        pytest.param(_with(tables={URNS[0]: [["a"]]}), id="with lists for names of files"),
        pytest.param(_with(tables={URNS[0]: "ab"}), id="with a text for names of files"),
        pytest.param(_with(quarantine=["../../victim"]), id="with a file outside the lake"),
        pytest.param(_with(replaced=[[1, ["/victim"], 0, 0.0]]), id="that removes a file outside the lake"),
        pytest.param(_with(sources=[{"file": "sources/x", "rows": "1"}]), id="with a count as text"),
        pytest.param(_with(set_aside=[{"input": ["/in"], "name": "a", "why": "", "end": 0}]), id="set aside oddly"),
        pytest.param(_of_other_manifests, id="of other manifests"),
        pytest.param(lambda path: path.rename(path.with_name("000099.state")), id="of batches that are not there"),
    ],
)
def test_a_checkpoint_that_will_not_do_is_not_needed(
    damage: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "EVERY", 2)
    batches = _batches(7, 5)
    for end in (2, 4):
        _write(tmp_path, batches[end - 2 : end])
        replay.checkpoint(tmp_path, replay.read(tmp_path))
    _write(tmp_path, batches[4:])
    assert replay.read(tmp_path).checkpoint == 4
    damage(tmp_path / "manifest" / "000004.state")
    assert replay.read(tmp_path).checkpoint == 2
    assert _state(tmp_path) == replay.of(manifest.read(tmp_path))


def test_only_the_manifests_after_the_checkpoint_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "EVERY", 2)
    _write(tmp_path, _batches(7, 2))
    replay.checkpoint(tmp_path, replay.read(tmp_path))
    (tmp_path / "manifest" / "000001.json").write_bytes(b"damaged")
    assert _state(tmp_path) == replay.of(_batches(7, 2))
    with pytest.raises(InputError, match="is not a manifest"):
        manifest.read(tmp_path)
    (tmp_path / "manifest" / "000001.json").unlink()
    assert _state(tmp_path) == replay.of(_batches(7, 2))
    assert manifest.read(tmp_path) == tuple(_batches(7, 2)), "the segment has what the manifest had"


def test_an_output_that_was_put_back_from_a_backup_gets_checkpoints_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "EVERY", 2)
    for number in (4, 6, 8):
        (tmp_path / "manifest").mkdir(exist_ok=True)
        (tmp_path / "manifest" / f"{number:06d}.state").write_bytes(b"{}\n{}")
    for end in (2, 4, 6):
        _write(tmp_path, _batches(7, 6)[end - 2 : end])
        replay.checkpoint(tmp_path, replay.read(tmp_path))
        assert replay.read(tmp_path).checkpoint == end
        assert _state(tmp_path) == replay.of(_batches(7, end))


@pytest.mark.parametrize(
    "gone, named",
    [
        pytest.param(["000005.json"], "000005.json", id="one after the checkpoint"),
        pytest.param(["000004.json", "000005.json"], "000004.json", id="that of the checkpoint and the one after it"),
        pytest.param(["000003.json", "000004.state"], "000003.json", id="one after the checkpoint that is left"),
    ],
)
def test_a_manifest_that_is_missing_is_named(
    gone: list[str], named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "EVERY", 2)
    _fold(tmp_path, _batches(7, 6)[:4])
    _write(tmp_path, _batches(7, 6)[4:])
    for name in gone:
        (tmp_path / "manifest" / name).unlink()
    with pytest.raises(InputError, match=f"{named} is missing") as raised:
        replay.read(tmp_path)
    assert raised.value.fix


def test_without_any_checkpoint_the_one_that_is_damaged_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "EVERY", 2)
    _fold(tmp_path, _batches(7, 6))
    for path in (tmp_path / "manifest").glob("*.state"):
        _cut(path)
    with pytest.raises(InputError, match=r"000006\.state is not a checkpoint") as raised:
        replay.read(tmp_path)
    assert raised.value.fix


@pytest.mark.parametrize("folded", [pytest.param(True, id="folded"), pytest.param(False, id="not folded")])
def test_a_file_that_is_replaced_and_was_never_written_is_an_error(
    folded: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "EVERY", 2 if folded else 100)
    batches = [replace(batch, replaced=()) for batch in _batches(7, 4)]
    _fold(tmp_path, batches)
    _write(tmp_path, [replace(batches[0], number=5, replaced=("tables/nobody/wrote/this",))])
    with pytest.raises(InputError, match="batch 5 replaces tables/nobody/wrote/this, which no earlier batch") as raised:
        replay.read(tmp_path)
    assert raised.value.fix
    alone = replace(batches[0], number=5, tables={}, quarantine=TableRows(0, ()), replaced=("q-1",))
    _write(tmp_path, [alone, replace(alone, number=6)])
    with pytest.raises(InputError, match="batch 6 replaces q-1"):
        replay.read(tmp_path)


@settings(max_examples=fewer(12, 20), deadline=None)
@given(seed=st.integers(0, 2**32), count=st.integers(0, 23), number=st.integers(0, 23))
def test_a_reader_that_is_behind_catches_up_from_any_batch(
    seed: int, count: int, number: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    output, batches = tmp_path_factory.mktemp("out"), _batches(seed, count)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "EVERY", 3)
        _fold(output, batches)
    assert manifest.since(output, number) == tuple(batches[number:])
    known = replay.of(batches[:number])
    for batch in manifest.batches(output, number):
        known = replay.after(known, batch)
    assert known == replay.of(batches[: max(number, count)])
    assert len([*output.glob("manifest/*.json")]) < 3 * 3


def test_who_folds_while_a_reader_reads_does_not_disturb_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "EVERY", 2)
    batches = _batches(7, 12)
    _fold(tmp_path, batches[:3])
    listing, waiting = manifest.listing, [batches[3:8], batches[8:]]

    def listed(output: Path) -> manifest.ManifestNames:
        """What a reader found, before a writer went on."""
        names = listing(output)
        if waiting:
            some = waiting.pop(0)
            with monkeypatch.context() as patch:
                patch.setattr(manifest, "listing", listing)
                _fold(output, some)
        return names

    monkeypatch.setattr(manifest, "listing", listed)
    assert _state(tmp_path) == replay.of(batches)
    assert not waiting


def test_where_there_is_nothing_nothing_counts(tmp_path: Path) -> None:
    assert replay.read(tmp_path / "out") == LakeState()
