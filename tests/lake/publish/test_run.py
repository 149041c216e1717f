"""A projection belongs to one lake at one place; what no longer fits is refused by name, and built anew when asked."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import projected
from projected import FORMATS, Lake

from babelreg.errors import InputError, UsageError
from babelreg.lake.publish import formats, projection
from babelreg.lake.publish.run import behind, pending
from babelreg.lake.publish.table_changes import folder_of
from babelreg.lake.storage import lake_id, projections
from babelreg.lake.storage.log import manifest, replay
from babelreg.model import Registry
from babelreg.spark import ingest, publish

CREATED = "urn:babel:orders:created"


def whys(result: object) -> str:
    return " ".join(why for caught in result.formats.values() for why in caught.failed.values())  # type: ignore[attr-defined]


def test_a_lake_of_an_earlier_version_gets_an_id_and_keeps_it(lake: Lake) -> None:
    lake.runs("i")
    assert lake_id.read(lake.out) is None
    first = publish(lake.out, ["delta"]).lake
    lake.runs("i", "p")
    assert lake_id.read(lake.out) == first == publish(lake.out).lake


def test_a_table_whose_first_entry_was_not_written_to_its_end_is_created(lake: Lake) -> None:
    lake.runs("i")
    logs = [lake.out / folder_of(table) / "_delta_log" for table in projected.tables(lake.out)]
    assert logs
    for log in logs:
        log.mkdir()
        (log / "00000000000000000000.json#1").touch()  # what deltalake leaves when it is killed
    assert not publish(lake.out, ["delta"]).failed
    assert projected.check(lake.out, ["delta"])


def test_a_second_run_commits_nothing(lake: Lake) -> None:
    lake.runs("i", "p")
    before = sorted(path for path in lake.out.rglob("*") if path.is_file())
    result = publish(lake.out)
    assert [dict(caught.tables) for caught in result.formats.values()] == [{}, {}]
    assert sorted(path for path in lake.out.rglob("*") if path.is_file()) == before


def test_an_unpublished_lake_needs_the_name_of_a_format(lake: Lake, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        publish(tmp_path / "none", ["delta"])
    lake.runs("i")
    with pytest.raises(UsageError, match="not published yet") as told:
        publish(lake.out)
    assert "--to delta,iceberg" in str(told.value)
    with pytest.raises(UsageError, match="did you mean 'iceberg'"):
        publish(lake.out, ["icberg"])


@pytest.mark.parametrize("name, package, extra", [("delta", "deltalake", "lake"), ("iceberg", "pyiceberg", "iceberg")])
def test_a_missing_library_is_named_with_the_line_that_installs_it(
    name: str, package: str, extra: str, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.runs("i")
    known = formats.find_spec
    monkeypatch.setattr(formats, "find_spec", lambda wanted: None if wanted == package else known(wanted))
    with pytest.raises(UsageError, match=f"{package} is not installed") as told:
        publish(lake.out, [name])
    assert str(told.value.fix).startswith(f"pip install 'babelreg[{extra}]', or ingest with --publish none")
    assert not (lake.out / projections.FOLDER).exists()


def test_a_moved_lake_keeps_its_delta_tables_and_is_told_to_build_iceberg_anew(lake: Lake, tmp_path: Path) -> None:
    lake.runs("i", "p")
    moved = lake.at(tmp_path / "elsewhere")
    shutil.move(lake.home, moved.home)
    assert not publish(moved.out, ["delta"]).failed
    assert projected.check(moved.out, ["delta"])
    with pytest.raises(UsageError, match="was moved or copied") as told:
        publish(moved.out, ["iceberg"])
    assert "--rebuild" in str(told.value.fix)
    assert not publish(moved.out, ["iceberg"], rebuild=True).failed
    assert projected.check(moved.out)


def test_a_lake_at_the_place_of_another_does_not_follow_its_tables(lake: Lake, tmp_path: Path) -> None:
    lake.runs("i", "p")
    other = lake.at(tmp_path / "other")
    other.runs("i", "i", "p")
    for table in projected.tables(lake.out):
        log = Path(folder_of(table)) / "_delta_log"
        shutil.rmtree(other.out / log)
        shutil.copytree(lake.out / log, other.out / log)
    result = publish(other.out, ["delta"])
    assert set(result.formats["delta"].failed) == set(projected.tables(other.out))
    assert "follows another lake" in whys(result)
    assert not publish(other.out, ["delta"], rebuild=True).failed
    assert projected.check(other.out)


@pytest.mark.parametrize("again", [0, 1, 2], ids=["behind", "at the same batch", "further"])
def test_a_lake_restored_from_a_backup_is_told_so(again: int, lake: Lake) -> None:
    """The logs of the tables are not: they stand at a batch that there is no more, or another one of that number."""
    lake.runs("i", "p")
    backup = lake.home / "backup"
    shutil.copytree(lake.out, backup)
    lake.runs("i", "p")
    for name in ("manifest", "ids"):
        shutil.rmtree(lake.out / name)
        shutil.copytree(backup / name, lake.out / name)
    for folder in lake.out.rglob("batch=*"):
        if not (backup / folder.relative_to(lake.out)).exists():
            shutil.rmtree(folder)
    lake.runs(*["i"] * again)
    result = publish(lake.out)
    assert result.failed
    assert "restored from a backup" in whys(result)
    assert not publish(lake.out, rebuild=True).failed
    assert projected.check(lake.out)


def test_what_another_program_does_to_a_table_is_found(lake: Lake) -> None:
    from deltalake import DeltaTable

    lake.runs("i", "i", "p")
    DeltaTable((lake.out / folder_of(CREATED)).as_uri()).delete()
    projected.iceberg_table(lake.out, CREATED).delete()
    result = publish(lake.out)
    assert {name: list(caught.failed) for name, caught in result.formats.items()} == {
        name: [CREATED] for name in FORMATS
    }
    assert "another program changed it" in whys(result)
    assert behind(lake.out) == {"delta": 0, "iceberg": 0}
    lake.runs("i")
    publish(lake.out)
    assert behind(lake.out) == {"delta": 1, "iceberg": 1}
    assert not publish(lake.out, rebuild=True).failed
    assert projected.check(lake.out)


def test_the_log_of_a_table_that_was_removed_is_written_again(lake: Lake) -> None:
    lake.runs("i", "p", "i", "i", "r")
    shutil.rmtree(lake.out / folder_of(CREATED) / "_delta_log")
    lake.runs("p")
    assert projected.check(lake.out)


@pytest.mark.parametrize("name", [".00000000000000000000.json.tmp", ".00000000000000000000.json.crc", None])
def test_a_log_that_was_begun_by_a_killed_run_is_no_table_yet(name: str | None, lake: Lake) -> None:
    lake.runs("i")
    for table in projected.tables(lake.out):
        log = lake.out / folder_of(table) / "_delta_log"
        log.mkdir(parents=True)
        if name:
            (log / name).write_bytes(b'{"commitInfo":')
    assert not publish(lake.out, ["delta"]).failed
    assert projected.check(lake.out, ["delta"])


def test_a_projection_whose_record_is_lost_is_caught_up(lake: Lake) -> None:
    lake.runs("i", "p", "i", "c", "i")
    (lake.out / projections.FOLDER / "state.json").unlink()
    lake.runs("p")
    assert projected.check(lake.out)


def test_a_dry_run_counts_files_and_writes_nothing(lake: Lake) -> None:
    lake.runs("i")
    assert pending(lake.out, ["delta"])["delta"][CREATED] == (1, 0)
    assert not (lake.out / projections.FOLDER).exists()
    lake.runs("p", "i", "c")
    before = {path: path.stat().st_mtime_ns for path in lake.out.rglob("*")}
    found = pending(lake.out)
    assert set(found) == set(FORMATS)
    assert found["delta"] == found["iceberg"]
    assert all(removed for _, removed in found["delta"].values())
    assert {path: path.stat().st_mtime_ns for path in lake.out.rglob("*")} == before


@pytest.mark.parametrize("name, sign", [("delta", "%"), ("iceberg", "#"), ("iceberg", "?"), ("iceberg", "%")])
def test_a_path_that_a_library_cannot_read_is_refused(name: str, sign: str, lake: Lake, tmp_path: Path) -> None:
    here = lake.at(tmp_path / f"a{sign}20b").runs("i")
    with pytest.raises(UsageError, match="the path has a"):
        publish(here.out, [name])


@pytest.mark.parametrize("folder", ["with space", "ünï", "brack[1]{a}*", "quo'te"])
def test_a_path_with_unusual_characters_works(folder: str, lake: Lake, tmp_path: Path) -> None:
    here = lake.at(tmp_path / folder).runs("i", "p", "i2", "c", "p")
    assert projected.check(here.out)


def test_the_catalog_is_chosen_once_and_moved_when_the_tables_are_built_anew(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYICEBERG_CATALOG__PROD__TYPE", "sql")
    monkeypatch.setenv("PYICEBERG_CATALOG__PROD__URI", f"sqlite:///{tmp_path}/prod.db")
    monkeypatch.setenv("PYICEBERG_CATALOG__PROD__WAREHOUSE", f"file://{tmp_path}/warehouse")
    from pyiceberg import catalog
    from pyiceberg.utils.config import Config

    monkeypatch.setattr(catalog, "_ENV_CONFIG", Config())  # read when pyiceberg is imported
    lake.runs("i", "p")
    with pytest.raises(UsageError, match="are in the catalog 'lake'"):
        publish(lake.out, ["iceberg"], catalog="prod")
    assert not publish(lake.out, ["iceberg"], catalog="prod", namespace="messages", rebuild=True).failed
    lake.runs("i", "p")
    table = projected.iceberg_table(lake.out, CREATED)
    assert table.metadata_location.startswith(f"file://{tmp_path}/warehouse")
    assert projected.check(lake.out)
    other = lake.at(tmp_path / "other").runs("i")
    result = publish(other.out, ["iceberg"], catalog="prod", namespace="messages")
    assert "names files below" in whys(result)
    with pytest.raises(UsageError, match="cannot open the catalog 'nowhere'"):
        publish(other.out, ["iceberg"], catalog="nowhere", rebuild=True)


def _replaced(lake: Lake) -> list[Path]:
    """The files that batches replaced."""
    return [lake.out / name for batch in manifest.read(lake.out) for name in batch.replaced]


def test_replaced_files_stay_until_every_projection_released_them(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.runs("i", "i")
    publish(lake.out, FORMATS, keep_seconds=7 * 86_400)
    _compact(lake)
    replaced = _replaced(lake)
    assert replaced
    lake.runs("p", "i", "p")
    assert all(path.exists() for path in replaced), "our hour is over, and theirs is not"
    publish(lake.out, ["delta"], keep_seconds=0)
    lake.runs("i")
    assert all(path.exists() for path in replaced), "Iceberg has not released them"
    _later(monkeypatch, days=8)
    publish(lake.out)
    assert all(path.exists() for path in replaced), "the run that removes files is that of the lake"
    lake.runs("i")
    assert not any(path.exists() for path in replaced)
    assert not publish(lake.out).failed
    assert projected.check(lake.out)


def test_a_tag_of_iceberg_keeps_the_files_that_its_snapshot_names(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.runs("i", "i")
    publish(lake.out, ["iceberg"])
    table = projected.iceberg_table(lake.out, CREATED)
    table.manage_snapshots().create_tag(table.current_snapshot().snapshot_id, "audit").commit()
    rows = table.scan().count()
    _compact(lake)
    publish(lake.out)
    _later(monkeypatch, days=8)
    publish(lake.out)
    lake.runs("i")
    publish(lake.out)
    lake.runs("i")
    table = projected.iceberg_table(lake.out, CREATED)
    assert len(table.scan(snapshot_id=table.snapshot_by_name("audit").snapshot_id).to_arrow()) == rows


def _compact(lake: Lake) -> None:
    from babelreg.spark import compact

    compact(lake.session, lake.out, at_least=2, grace_seconds=0)


def _later(monkeypatch: pytest.MonkeyPatch, *, days: int) -> None:
    """Let the clock of the projections go on by ``days``."""
    from babelreg.lake.publish import projection

    now = datetime.now(UTC) + timedelta(days=days)
    monkeypatch.setattr(projection, "time", type("Clock", (), {"time": staticmethod(now.timestamp)}))


def test_the_record_names_what_stands(lake: Lake) -> None:
    lake.runs("i", "p")
    record = json.loads((lake.out / projections.FOLDER / "state.json").read_text())
    assert set(record["projections"]) == set(FORMATS)
    (lake.out / projections.FOLDER / "state.json").write_text("{")
    with pytest.raises(InputError, match="is not the record of projections") as told:
        publish(lake.out)
    assert "--rebuild" in str(told.value.fix)
    assert replay.read(lake.out).number == 1


@pytest.mark.parametrize("at_once", [1, 8])
def test_two_urns_of_one_name_in_a_catalog_are_told_apart_in_delta_and_refused_by_iceberg(
    at_once: int, lake: Lake, make_registry: Callable[..., Registry], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projection, "_AT_ONCE", at_once)  # one by one: the second finds the table of the first
    urns = ("urn:babel:orders:big-thing.done", "urn:babel:orders:big.thing.done")
    registry = make_registry({urn: {"type": "object", "properties": {"a b,c": {"type": "integer"}}} for urn in urns})
    (lake.home / "in").mkdir(parents=True)
    meta = {"queue": "q", "lang": "go", "schema_version": 1, "created_at": 1}
    envelopes = [
        {"job": urn, "trace_id": "t", "data": {"a b,c": 1}, "meta": {"id": urn, **meta}, "attempts": 0} for urn in urns
    ]
    (lake.home / "in" / "a").write_text("".join(f"{json.dumps(envelope)}\n" for envelope in envelopes))
    ingest(lake.session, registry, lake.home / "in", lake.out)
    for _ in range(2):
        result = publish(lake.out, FORMATS)
        assert not result.formats["delta"].failed
        assert len(result.formats["iceberg"].failed) == 1
        assert "a catalog treats both names as one" in whys(result)
    assert projected.check(lake.out, ["delta"]) == 2
