"""A batch touches as many file names late as early, counted."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.lake.engine.local_engine import LocalEngine
from babelreg.lake.storage.log import checkpoint, folded_manifests, manifest, replay, source_log
from babelreg.lake.storage.log.manifest import Batch, Consumed, SortedFileRecord, TableRows
from babelreg.lake.storage.log.replay import LakeState
from babelreg.lake.storage.log.source_log import SourceLog
from babelreg.model import Registry
from babelreg.spark import ingest, redrive

sys.path.insert(0, str(Path(__file__).parents[1] / "lake" / "shared"))
import touched

Make = Callable[..., Registry]
URN = "urn:babel:orders:created"
SCHEMA = {"type": "object", "properties": {"id": {"type": "integer", "minimum": 1}}}


def _synthetic(number: int) -> Batch:
    """A batch that read a file, which is gone since, and added nothing."""
    read = Consumed("/gone", f"{number:07d}", 0, 9, number, True, f"{number:032x}", f"{number:032x}")
    return Batch(number, "ingest", 0, 0, 0, 0, False, (read,), {}, TableRows(0, ()), {}, {}, ())


def _lake(output: Path, number: int) -> None:
    """An output of ``number`` batches, as they leave it: the last ones in fact, those before as what they folded to."""
    folder, every = output / manifest.FOLDER, replay.EVERY
    start = number - 2 * every
    folder.mkdir(parents=True)
    runs: tuple[SortedFileRecord, ...] = ()
    if start:
        manifest.write(output, _synthetic(start))
        some = [_synthetic(one) for one in range(max(1, start - 5000), start + 1)]
        for split in range(0, len(some), 1000):
            runs = source_log.added(folder, source_log.FOLDER, runs, some[split : split + 1000])
        checkpoint.write(output, LakeState(number=start, sources=SourceLog(folder, runs)))
        (folder / folded_manifests.folder_name(every)).mkdir()
        for last in range(every, start + 1, every):
            folded_manifests.path_of(folder, every, last).touch()
    for one in range(start + 1, number + 1):
        manifest.write(output, _synthetic(one))
        if one % every == 0:
            replay.checkpoint(output, replay.read(output))


def _message(number: int, data: Any) -> bytes:
    meta = {"id": f"{number}", "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1}
    return json.dumps({"job": URN, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}).encode() + b"\n"


def _batches(home: Path, session: Any, registry: Registry, count: int) -> list[Counter[str]]:
    """The names that each of so many batches touches in the output."""
    found = []
    (home / "in").mkdir()
    for number in range(count):
        for path in (home / "in").iterdir():
            path.unlink()
        bad = _message(-number - 1, {"id": -1}) if number else b""
        (home / "in" / f"{number}").write_bytes(_message(number, {"id": 1}) + bad)
        with touched.counted(home / "out") as names:
            summary = ingest(session, registry, home / "in", home / "out")
        assert (summary.accepted, summary.quarantined) == (1, min(number, 1))
        found.append(names)
    return found


@pytest.mark.parametrize("kind", ["ingest", "redrive"])
def test_a_batch_touches_as_many_names_after_half_a_million_as_after_three_hundred(
    kind: str, tmp_path: Path, make_registry: Make
) -> None:
    session, registry, counts = LocalEngine(2), make_registry({URN: SCHEMA}), []
    for number in (300, 500_000):
        home = tmp_path / f"{number}"
        _lake(home / "out", number)
        found = _batches(home, session, registry, 4)
        if kind == "redrive":
            with touched.counted(home / "out") as names:
                redrive(session, make_registry({URN: {"type": "object"}}), home / "out")
            found = [names]
        assert replay.read(home / "out").number == number + 4 + (kind == "redrive")
        assert all(names["listings of manifest"] == 1 for names in found)
        assert max(names["list manifest"] for names in found) <= 3 * replay.EVERY * 2
        counts.append(found)
    early, late = counts
    for one, other in zip(early, late, strict=True):
        runs = other["open"] - one["open"]
        assert {name: count for name, count in other.items() if name not in ("open", "stat")} == {
            name: count for name, count in one.items() if name not in ("open", "stat")
        }
        assert runs <= 2 * 10, "the log of sources has some files more"
        assert other["stat"] - one["stat"] <= 2 * 10


def test_a_history_that_grows_batch_by_batch_keeps_its_folder_small(
    tmp_path: Path, make_registry: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "EVERY", 5)
    session, registry = LocalEngine(2), make_registry({URN: SCHEMA})
    found = _batches(tmp_path, session, registry, 60)
    totals = [sum(names.values()) for names in found]
    # Within 20 batches everything happens: folds, merges of ids and of the log, compactions.
    assert max(totals[40:]) <= 1.25 * max(totals[10:30])
    assert all(names["listings of manifest"] == 1 for names in found)
    assert max(names["list manifest"] for names in found) <= 3 * 5 + 4
    assert len(manifest.read(tmp_path / "out")) >= 60
