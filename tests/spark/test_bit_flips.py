"""One flipped bit in any file of the manifest folder: a clear error, or no effect; never other rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from babelreg.errors import InputError
from babelreg.spark import checkpoint, history, manifest, sorted_file, source_log
from babelreg.spark.manifest import Batch, Consumed, SetAside, Table
from babelreg.spark.source_log import content_key, name_key

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
        tables={URN: Table(1, (f"t{number}",), {"c": "BIGINT"})},
        quarantine=Table(1, (f"q{number}",)),
        reasons={"poison": 1},
        repeated={},
        index=(manifest.Run(f"i{number}", number),),
        set_aside=(SetAside("/in", f"s{number}", "replaced", 3),),
    )


def _moving(number: int, kind: Any, table: tuple[str, ...], replaced: tuple[str, ...]) -> Batch:
    moved = replace(_ingest(number), kind=kind, consumed=(), set_aside=(), replaced=replaced, grace_seconds=60)
    return replace(moved, tables={URN: Table(1, table)}, quarantine=Table(0, ()))


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
        patch.setattr(history, "EVERY", 2)
        for batch in BATCHES:
            history.checkpoint(output, history.read(output))
            manifest.write(output, batch)
    assert history.read(output).checkpoint == 6
    assert not (output / "manifest" / "000003.json").exists()
    return output


def _counting(output: Path) -> Any:
    return history.read(output)


def _batches(output: Path) -> Any:
    return manifest.read(output)


def _sources(output: Path) -> Any:
    log = history.read(output).sources
    names, contents = [name_key("/in", f"{n}") for n in (1, 2, 5, 9)], [content_key(9, f"{n:032x}") for n in (1, 5, 9)]
    return log.records(names), log.alike(contents)


def _forget() -> None:
    for cached in (manifest._read_once, checkpoint._load, sorted_file._opened):
        cached.cache_clear()


@pytest.mark.parametrize(
    "name, readers",
    [
        pytest.param("000005.json", [_batches], id="an ingest"),
        pytest.param("000006.json", [_batches], id="a redrive"),
        pytest.param("000007.json", [_counting], id="a compaction"),
        pytest.param("000006.state", [_counting], id="a checkpoint"),
        pytest.param("folded-2/000004.batches", [_batches], id="a redrive and a compaction that were folded"),
        pytest.param("sources/000002-0.files", [_sources], id="the log of sources"),
    ],
)
def test_every_bit_of_every_byte_ends_in_a_clear_error_or_has_no_effect(
    name: str, readers: list[Callable[[Path], Any]], lake: Path
) -> None:
    path = lake / "manifest" / name
    content = path.read_bytes()
    _forget()
    right = [reader(lake) for reader in readers]
    errors = 0
    try:
        for place in range(len(content)):
            for bit in range(8):
                flipped = bytearray(content)
                flipped[place] ^= 1 << bit
                path.write_bytes(flipped)
                _forget()
                for reader, expected in zip(readers, right, strict=True):
                    try:
                        found = reader(lake)
                    except InputError as err:
                        assert name.rpartition("/")[2].split(".")[0] in err.message, (place, bit)
                        assert err.fix
                        errors += 1
                    else:
                        assert _same(found, expected), (place, bit)
    finally:
        path.write_bytes(content)
        _forget()
    if name.endswith(".state"):
        assert errors == 0, "what a checkpoint says, the one before it and the manifests say as well"
    else:
        assert errors >= 8 * len(content), "no reader read it"


def _same(found: Any, expected: Any) -> bool:
    """Which checkpoint was read does not count."""
    if isinstance(found, history.History):
        return bool(replace(found, checkpoint=0) == replace(expected, checkpoint=0))
    return bool(found == expected)


def test_all_files_below_the_manifests_are_looked_at(lake: Path) -> None:
    kinds = {path.suffix for path in (lake / "manifest").rglob("*") if path.is_file()}
    assert kinds == {".json", ".state", ".batches", ".files"}
    assert source_log.FOLDER == "sources"
