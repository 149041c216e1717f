"""Other programs at a published Delta table: what they may do, what is refused, and what is found to be gone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import projected
from projected import Lake

from babelreg.errors import InputError
from babelreg.lake.publish.table_changes import folder_of
from babelreg.lake.storage.log import replay
from babelreg.spark import compact, publish, redrive

deltalake = pytest.importorskip("deltalake")

CREATED = "urn:babel:orders:created"
NOW = {"retention_hours": 0, "enforce_retention_duration": False, "dry_run": False}

MINE = deltalake.Field("mine", deltalake.schema.PrimitiveType("string"))
Foreign = Callable[[deltalake.DeltaTable], object]


def _table(lake: Lake) -> deltalake.DeltaTable:
    return deltalake.DeltaTable((lake.out / folder_of(CREATED)).as_uri())


def _ingest(lake: Lake, publish: Collection[str] | None) -> None:
    """Ingest until the table has new rows."""
    while CREATED not in lake.ingest(publish=publish).tables:
        pass


def _published(lake: Lake) -> Lake:
    """A lake of two batches, each published on its own, so that the table has two files."""
    for _ in range(2):
        _ingest(lake, ["delta"])
    return lake


@pytest.mark.parametrize(
    "change, operation",
    [
        pytest.param(lambda table: table.optimize.compact(), "OPTIMIZE", id="OPTIMIZE"),
        pytest.param(lambda table: table.delete("source_offset = 0"), "DELETE", id="DELETE"),
        pytest.param(lambda table: table.update({"lang": "'x'"}), "UPDATE", id="UPDATE"),
        pytest.param(
            lambda table: deltalake.write_deltalake(table, table.to_pyarrow_table(), mode="append"),
            "WRITE",
            id="INSERT",
        ),
    ],
)
def test_a_table_whose_files_another_program_changed_is_refused_and_built_anew(
    lake: Lake, change: Foreign, operation: str, caplog: pytest.LogCaptureFixture
) -> None:
    _published(lake)
    change(_table(lake))
    _ingest(lake, ["delta"])
    warning = caplog.records[0].getMessage()
    assert f"{operation}, which the lake did not commit" in warning
    assert f"`babelreg lake publish --lake {lake.out} --rebuild`" in warning
    result = publish(lake.out, ["delta"])
    assert [*result.formats["delta"].failed] == [CREATED], "the other tables go on"
    assert not publish(lake.out, ["delta"], rebuild=True).failed
    assert projected.check(lake.out, ["delta"])


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda table: table.vacuum(dry_run=False), id="VACUUM of its default"),
        pytest.param(lambda table: table.vacuum(full=True, **NOW), id="VACUUM of all that the table does not name"),
        pytest.param(lambda table: table.alter.set_table_properties({"delta.appendOnly": "false"}), id="properties"),
        pytest.param(lambda table: table.alter.add_columns([MINE]), id="ADD COLUMNS"),
        pytest.param(lambda table: table.create_checkpoint(), id="a checkpoint of the log"),
    ],
)
def test_a_table_goes_on_after_another_program_that_changed_no_files(lake: Lake, change: Foreign) -> None:
    _published(lake)
    change(_table(lake))
    for _ in range(2):
        _ingest(lake, ["delta"])
        assert not publish(lake.out, ["delta"]).failed
        assert projected.check(lake.out, ["delta"])


def _unpublished(lake: Lake) -> None:
    _ingest(lake, None)


def _deleted(lake: Lake) -> None:
    _table(lake).delete()


@pytest.mark.parametrize(
    "before", [pytest.param(_unpublished, id="unpublished"), pytest.param(_deleted, id="deleted from the table")]
)
def test_files_that_a_vacuum_removed_are_reported_before_anything_is_read_or_written(
    lake: Lake, before: Callable[[Lake], None]
) -> None:
    _published(lake)
    before(lake)
    _table(lake).vacuum(full=True, **NOW)
    known = sorted(path for path in lake.out.rglob("*") if path.is_file())
    state = replay.read(lake.out)
    gone = [name for name in state.tables[CREATED] if not (lake.out / name).exists()]
    assert gone
    lake.add()
    runs: list[Callable[[], object]] = [
        lambda: lake.ingest(publish=None),
        lambda: redrive(lake.session, lake.registries[1], lake.out),
        lambda: compact(lake.session, lake.out, at_least=2),
        lambda: publish(lake.out),
        lambda: publish(lake.out, rebuild=True),
    ]
    for run in runs:
        with pytest.raises(InputError, match="missing: manifests list") as told:
            run()
        assert gone[0] in str(told.value)
        assert "from a backup; or ingest the whole input again" in str(told.value.fix)
    assert sorted(path for path in lake.out.rglob("*") if path.is_file()) == known
    assert replay.read(lake.out).number == state.number


def test_every_hundredth_commit_is_followed_by_a_checkpoint(lake: Lake) -> None:
    _ingest(lake, ["delta"])
    log = lake.out / folder_of(CREATED) / "_delta_log"
    table = _table(lake)
    for _ in range(97):
        table.alter.set_table_properties({"delta.appendOnly": "false"})
    _ingest(lake, ["delta"])
    assert not (log / "_last_checkpoint").exists()
    _ingest(lake, ["delta"])
    assert (log / "_last_checkpoint").exists()
    _ingest(lake, ["delta"])
    assert projected.check(lake.out, ["delta"])
