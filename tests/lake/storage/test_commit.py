"""Batches that are killed at every step of their way from staging to what counts."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from babelreg.errors import UsageError
from babelreg.lake.storage import id_index, id_run, output_folder
from babelreg.lake.storage.commit import Replacement, Rows, StagedBatch, commit
from babelreg.lake.storage.disk_errors import disk_errors
from babelreg.lake.storage.id_index import IdRunFile
from babelreg.lake.storage.log import manifest, replay, source_log
from babelreg.lake.storage.log.manifest import Consumed

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import id_runs
import killing

CREATED, PAID = "urn:babel:orders:created", "urn:babel:billing:paid"


def _parquet(path: Path, rows: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"urn": [CREATED] * len(rows), "message_id": rows, "data_json": ["{}"] * len(rows)}), path)
    return path


def _ingest(folder: Path, number: int) -> None:
    """What a batch does after Spark: two rows for one table, one for another, one refused, and the index."""
    with output_folder.locked(folder):
        so_far = output_folder.opened(folder)
        if so_far.number >= number:
            return
        with output_folder.staging(folder) as work:
            held = id_index.opened(folder, so_far, work)
            new = [f"{number}-a", f"{number}-b", f"{number}-c"]
            written = StagedBatch(
                read=4,
                tables={
                    CREATED: Rows(2, (_parquet(work / "1" / "a.parquet", new[:2]),)),
                    PAID: Rows(1, (_parquet(work / "2" / "a.parquet", new[2:]),)),
                },
                quarantine=Rows(1, (_parquet(work / "q" / "a.parquet", [f"{number}-bad"]),)),
                reasons={"poison": 1},
                index=(*held, _run(work / "ids", new)),
            )
            read = Consumed("/in", f"{number}", 0, 9, number, True, f"{number:032x}", f"{number:032x}")
            commit(folder, so_far, "ingest", written, keeps_duplicates=False, consumed=[read])


def _redrive(folder: Path, number: int) -> None:
    """Every refused message passes; the files of the quarantine no longer count, and go at once."""
    with output_folder.locked(folder):
        so_far = output_folder.opened(folder)
        if so_far.number >= number:
            return
        with output_folder.staging(folder) as work:
            held = id_index.opened(folder, so_far, work)
            replaced = so_far.quarantine
            passed = [row for name in replaced for row in _ids(folder / name)]
            written = StagedBatch(
                read=len(passed),
                tables={CREATED: Rows(len(passed), (_parquet(work / "1" / "a.parquet", passed),))},
                index=(*held, _run(work / "ids", passed)),
            )
            commit(folder, so_far, "redrive", written, keeps_duplicates=False, replaced=Replacement(replaced, 0))


def _run(folder: Path, names: list[str]) -> IdRunFile:
    folder.mkdir(exist_ok=True)
    path = folder / f"new-{len(list(folder.iterdir()))}.ids"
    keys = b"".join(map(id_run.key, names))
    return IdRunFile(path, id_run.write(path, id_run.IdRecords.of(keys, keys)))


JOBS = [_ingest, _ingest, _ingest, _ingest, _redrive, _ingest]


def _ids(path: Path) -> list[str]:
    return list(pq.read_table(path)["message_id"].to_pylist())


def _state(folder: Path) -> dict[str, Any]:
    """What counts: the rows of every table and of the quarantine, and the ids that the index knows."""
    batches, so_far = manifest.read(folder), replay.read(folder)
    assert replace(so_far, checkpoint=0) == replay.of(batches), "the checkpoint says something else"
    tables = {urn: sorted(i for name in names for i in _ids(folder / name)) for urn, names in so_far.tables.items()}
    every = [name for names in tables.values() for name in names]
    runs = [folder / run.file for run in so_far.index]
    known = id_runs.lookup(runs, b"".join(map(id_run.key, every)))
    assert all(known), "an id was lost"
    refused = sorted(i for name in so_far.quarantine for i in _ids(folder / name))
    assert sum(one.read for one in batches if one.kind == "ingest") == len(every) + len(refused)
    read = {one.name for batch in batches for one in batch.consumed}
    assert {one.name for one in so_far.sources} == read, "the log of sources says something else"
    return {"batches": len(batches), "tables": tables, "refused": refused}


def _manifests(folder: Path) -> list[str]:
    """What is below the folder of manifests when the next run has begun: a folded history, and nothing else."""
    output_folder.opened(folder)
    return sorted(path.relative_to(folder).as_posix() for path in (folder / "manifest").rglob("*"))


def _whole(folder: Path, jobs: int) -> None:
    for number, job in enumerate(JOBS[:jobs], 1):
        job(folder, number)


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What counts after so many batches that nobody killed."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    found: list[dict[str, Any]] = [{"batches": 0, "tables": {}, "refused": []}]
    for number, job in enumerate(JOBS, 1):
        job(folder, number)
        found.append(_state(folder))
    return found


@pytest.fixture(scope="module")
def folded(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """The manifests after so many batches that nobody killed."""
    folder = tmp_path_factory.mktemp("folded") / "out"
    found: list[list[str]] = [[]]
    with pytest.MonkeyPatch.context() as patch:
        _fold_often(patch)
        for number, job in enumerate(JOBS, 1):
            job(folder, number)
            found.append(_manifests(folder))
    assert "manifest/folded-2/000004.batches" in found[-1]
    assert "manifest/000002.json" not in found[-1]
    return found


def _fold_often(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(id_index, "_FANOUT", 3)  # so that runs are merged within a few batches
    patch.setattr(replay, "EVERY", 2)  # and manifests folded
    patch.setattr(source_log, "_FANOUT", 2)


@pytest.fixture(autouse=True)
def _small_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    _fold_often(monkeypatch)


@pytest.mark.parametrize(
    "before, stride",
    [
        pytest.param(0, 19, id="in the first batch"),
        pytest.param(4, 11, id="in a redrive, before which manifests are folded and removed"),
        pytest.param(5, 19, id="in the one after it, which removes what was replaced"),
        *(pytest.param(n, 1, id=f"everywhere in batch {n + 1}", marks=pytest.mark.long) for n in range(len(JOBS))),
    ],
)
def test_wherever_a_batch_is_killed_it_counts_whole_or_not_at_all(
    before: int, stride: int, states: list[dict[str, Any]], folded: list[list[str]], tmp_path: Path
) -> None:
    killed, steps, folder = True, 0, tmp_path / "out"
    _whole(tmp_path / "start", before)
    while killed:
        shutil.rmtree(folder, ignore_errors=True)
        if before:
            shutil.copytree(tmp_path / "start", folder)
        die = partial(killing.at, steps // 2 + 1, bool(steps % 2))
        killed = killing.killed(partial(JOBS[before], folder, before + 1), die)
        steps += stride
        assert _state(folder) in (states[before : before + 2] if killed else [states[before + 1]])
        JOBS[before](folder, before + 1)
        assert _state(folder) == states[before + 1]
        named = _named(folder)
        assert _there(folder) == named, "what does not count was left, or what counts was removed"
        assert _manifests(folder) == folded[before + 1], "a fold that was stopped left something"
    assert steps > 40, "the counting has missed steps"


@pytest.mark.parametrize(
    "before, stride", [pytest.param(0, 5, id="in the first batch"), pytest.param(4, 5, id="in a redrive")]
)
def test_wherever_the_disk_is_full_the_error_says_so_and_what_counted_still_does(
    before: int, stride: int, states: list[dict[str, Any]], tmp_path: Path
) -> None:
    failed, step, folder = True, 1, tmp_path / "out"
    _whole(tmp_path / "start", before)
    while failed:
        shutil.rmtree(folder, ignore_errors=True)
        if before:
            shutil.copytree(tmp_path / "start", folder)
        with pytest.MonkeyPatch.context() as patch:
            happened = _full(patch, step)
            try:
                with disk_errors(folder):
                    JOBS[before](folder, before + 1)
            except UsageError as err:
                assert "No space left on device" in str(err) or "cannot write" in str(err)
                assert err.fix
            failed = happened[0]
        assert _state(folder) in states[before : before + 2]
        JOBS[before](folder, before + 1)
        assert _state(folder) == states[before + 1]
        named = _named(folder)
        assert _there(folder) == named
        step += stride
    assert step > 20, "the counting has missed steps"


def _full(patch: pytest.MonkeyPatch, step: int) -> list[bool]:
    """Make the ``step``-th change of the disk fail; holds whether there was one."""
    numbers, happened = count(1), [False]

    def failing(call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*args: Any, **kwargs: Any) -> Any:
            if next(numbers) == step:
                happened[0] = True
                raise OSError(errno.ENOSPC, "No space left on device")
            return call(*args, **kwargs)

        return counting

    for owner, name in killing.STEPS:
        patch.setattr(owner, name, failing(getattr(owner, name)))
    return happened


def _named(folder: Path) -> set[str]:
    """What counts, after the next run has begun, which removes the rest."""
    so_far = output_folder.opened(folder)
    tables = [name for names in so_far.tables.values() for name in names]
    return {*tables, *so_far.quarantine, *(run.file for run in so_far.index)}


def _there(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("part-*")}


@pytest.mark.long
def test_killed_at_any_moment_a_hundred_times_nothing_is_lost_and_nothing_is_there_twice(
    states: list[dict[str, Any]], tmp_path: Path
) -> None:
    chance = random.Random(7)
    kills = 0
    while kills < 100:
        folder = tmp_path / f"{kills}-{chance.random()}" / "out"
        number = 1
        while number <= len(JOBS):
            child = os.fork()
            if child == 0:
                try:
                    JOBS[number - 1](folder, number)
                finally:
                    os._exit(0)
            time.sleep(chance.random() * 0.12)
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            kills += os.WIFSIGNALED(status)
            if folder.exists():
                state = _state(folder)
                assert state in states[number - 1 : number + 1]
                number = state["batches"] + 1
        assert _state(folder) == states[-1]


def _names(folder: Path) -> str:
    return ",".join(sorted(path.name for path in folder.iterdir()))


def test_everything_a_manifest_names_is_on_the_disk_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: set[tuple[int, str]] = set()
    sync, rename = os.fsync, Path.replace

    def noted(descriptor: int) -> None:
        sync(descriptor)
        status = os.fstat(descriptor)
        path = Path(f"/proc/self/fd/{descriptor}")
        content = "" if path.is_dir() else sha256(path.read_bytes()).hexdigest()
        synced.add((status.st_ino, content or _names(path)))

    def checked(self: Path, target: Path) -> Path:
        for path in [*(tmp_path / "out").rglob("part-*"), self]:
            assert (path.stat().st_ino, sha256(path.read_bytes()).hexdigest()) in synced, path
            for folder in list(path.parents)[: len(path.relative_to(tmp_path / "out").parts)]:
                names = _names(folder)
                assert folder in (self.parent, tmp_path / "out") or (folder.stat().st_ino, names) in synced, folder
        return rename(self, target)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(Path, "replace", checked)
    _ingest(tmp_path / "out", 1)
    assert _state(tmp_path / "out")["batches"] == 1
