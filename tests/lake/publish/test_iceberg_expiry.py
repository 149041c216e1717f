"""Expired snapshots take the metadata along that they alone name, and the table stays readable."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import projected
from projected import Lake

from babelreg.lake.publish import iceberg_expiry

CREATED = "urn:babel:orders:created"


def metadata(lake: Lake) -> set[str]:
    return {path.name for path in (lake.out / "projections/iceberg/orders_created/metadata").glob("*.avro")}


def test_metadata_of_expired_snapshots_is_removed_and_the_rows_stay(lake: Lake) -> None:
    lake.runs("i", "p", "i2", "p", "i2", "c", "p")
    table = projected.iceberg_table(lake.out, CREATED)
    table.manage_snapshots().create_tag(table.snapshots()[0].snapshot_id, "first").commit()
    rows, before = table.scan(snapshot_id=table.snapshots()[0].snapshot_id).count(), metadata(lake)
    iceberg_expiry.expire_before(table, datetime.now(UTC) - timedelta(days=1))
    assert metadata(lake) == before
    iceberg_expiry.expire_before(table, datetime.now(UTC) + timedelta(days=1))
    table = projected.iceberg_table(lake.out, CREATED)
    assert len(table.snapshots()) == 2
    assert metadata(lake) < before
    assert table.scan(snapshot_id=table.snapshot_by_name("first").snapshot_id).count() == rows
    assert projected.check(lake.out)


def test_too_many_snapshots_are_halved(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iceberg_expiry, "MOST_SNAPSHOTS", 3)
    for _ in range(6):
        lake.runs("i2", "p")
    assert len(projected.iceberg_table(lake.out, CREATED).snapshots()) <= 4
    assert projected.check(lake.out)
