"""One flipped bit in any file of the manifest folder: a clear error, or no effect; never other rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from babelreg.errors import InputError
from babelreg.lake.storage.log import checkpoint, manifest, replay, sorted_file, source_log
from babelreg.lake.storage.log.manifest import Batch, Consumed, SetAside, TableRows
from babelreg.lake.storage.log.source_log import name_key

URN = "urn:babel:a:b"


def _ingest(number: int) -> Batch:
    read = Consumed("/in", f"{number}", 0, 9, number, True, f"{number:032x}", f"{number:032x}")
    counts = {"read": 2, "accepted": 1, "duplicates": 0, "quarantined": 1}
    return Batch(
        number,
        "ingest",
        **counts,
        keeps_duplicates=False,
        consumed=(read,),
        tables={URN: TableRows(1, (f"t{number}",), {"c": "BIGINT"})},
        quarantine=TableRows(1, (f"q{number}",)),
        reasons={"poison": 1},
        repeated={},
        index=(manifest.SortedFileRecord(f"i{number}", number),),
        set_aside=(SetAside("/in", f"s{number}", "replaced", 3),),
    )


def _moving(number: int, kind: Any, table: tuple[str, ...], replaced: tuple[str, ...]) -> Batch:
    moved = replace(_ingest(number), kind=kind, consumed=(), set_aside=(), replaced=replaced, grace_seconds=60)
    return replace(moved, tables={URN: TableRows(1, table)}, quarantine=TableRows(0, ()))


BATCHES = [
    _ingest(1),
    _ingest(2),
    _moving(3, "redrive", ("t3",), ("q1",)),
    _moving(4, "compaction", ("t4",), ("t1", "t2")),
    _ingest(5),
    _moving(6, "redrive", ("t6",), ("q2",)),
    _moving(7, "compaction", ("t7",), ("t3", "t4")),
]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Batches of which some are folded: twice, so that manifests were removed."""
    output = tmp_path_factory.mktemp("lake")
    (output / "manifest").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "EVERY", 2)
        for batch in BATCHES:
            replay.checkpoint(output, replay.read(output))
            manifest.write(output, batch)
    assert replay.read(output).checkpoint == 6
    assert not (output / "manifest" / "000003.json").exists()
    return output


def _counting(output: Path) -> Any:
    return replay.read(output)


def _batches(output: Path, after: int, count: int) -> Any:
    """The batches of one file: who reads others as well, reads it in the same way."""
    return tuple(islice(manifest.batches(output, after), count))


def _sources(output: Path) -> Any:
    log = replay.read(output).sources
    names, contents = [name_key("/in", f"{n}") for n in (1, 2, 5, 9)], [(9, f"{n:032x}") for n in (1, 5, 9)]
    return log.records(names), log.alike(contents)


@contextmanager
def _always_read(path: Path) -> Iterator[None]:
    """Within, ``path`` is read each time and no other file twice: times are too coarse to show so quick a change."""
    read_once, opened, load = manifest._read_once, sorted_file._opened, checkpoint._load
    for cached in (read_once, opened, load):
        cached.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        if path.suffix == ".json":
            patch.setattr(
                manifest, "_read_once", lambda at, *key: manifest.read_one(at) if at == path else read_once(at, *key)
            )
        if path.suffix == ".files":
            patch.setattr(
                sorted_file, "_opened", lambda at, *key: sorted_file.SortedFile(at) if at == path else opened(at, *key)
            )
        if path.suffix == ".state":
            patch.setattr(checkpoint, "_load", load.__wrapped__)
        yield
    for cached in (read_once, opened, load):
        cached.cache_clear()


def _flips(path: Path) -> Iterator[tuple[int, int]]:
    """Every place and bit of ``path``, flipped while it is asked for."""
    content = path.read_bytes()
    file = os.open(path, os.O_RDWR)
    try:
        for place, byte in enumerate(content):
            for bit in range(8):
                os.pwrite(file, bytes([byte ^ 1 << bit]), place)
                yield place, bit
            os.pwrite(file, bytes([byte]), place)
    finally:
        os.pwrite(file, content, 0)
        os.close(file)


@pytest.mark.parametrize(
    "name, reader",
    [
        pytest.param("000005.json", partial(_batches, after=4, count=1), id="an ingest"),
        pytest.param("000006.json", partial(_batches, after=5, count=1), id="a redrive"),
        pytest.param("000007.json", _counting, id="a compaction"),
        pytest.param("000006.state", _counting, id="a checkpoint"),
        pytest.param(
            "folded-2/000004.batches",
            partial(_batches, after=2, count=2),
            id="a redrive and a compaction that were folded",
        ),
        pytest.param("sources/000002-0.files", _sources, id="the log of sources"),
        pytest.param("newest", _counting, id="the number of the newest batch"),
    ],
)
def test_every_bit_of_every_byte_ends_in_a_clear_error_or_has_no_effect(
    name: str, reader: Callable[[Path], Any], lake: Path
) -> None:
    path = lake / "manifest" / name
    size, errors, flips = path.stat().st_size, 0, 0
    with _always_read(path):
        right = reader(lake)
        for at in _flips(path):
            flips += 1
            try:
                found = reader(lake)
            except InputError as err:
                assert path.stem in err.message, at
                assert err.fix
                errors += 1
            else:
                assert _same(found, right), at
    print(f"{name}: {flips:,} flips, {errors:,} reported")
    assert flips == 8 * size
    if name.endswith(".state"):
        assert errors == 0, "what a checkpoint says, the one before it and the manifests say as well"
    else:
        assert errors == flips, "no reader read it"


def _same(found: Any, expected: Any) -> bool:
    """Which checkpoint was read does not count."""
    if isinstance(found, replay.LakeState):
        return bool(replace(found, checkpoint=0) == replace(expected, checkpoint=0))
    return bool(found == expected)


def test_all_files_below_the_manifests_are_looked_at(lake: Path) -> None:
    kinds = {path.suffix for path in (lake / "manifest").rglob("*") if path.is_file()}
    assert kinds == {".json", ".state", ".batches", ".files", ""}, "and newest"
    assert source_log.FOLDER == "sources"
