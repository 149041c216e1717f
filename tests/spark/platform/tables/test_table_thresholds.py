"""A batch above a threshold, written to tables: held before anything is written, or written and named."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from babelreg.lake.ingest.thresholds import OTHER, UrnCounts
from babelreg.model import Registry
from babelreg.spark import BatchHeld, Tables
from babelreg.spark.platform.tables.batch_counts import BatchCounts, CountRow

sys.path.insert(0, str(Path(__file__).parents[3] / "lake" / "shared"))
from lakehouse import Lakehouse

URN = "urn:babel:orders:created"
ROWS: tuple[CountRow, ...] = (
    (None, "empty", None, 7),
    (None, "quarantined", "invalid_json", 2),
    (URN, "accepted", None, 90),
    (URN, "duplicate", None, 3),
    (URN, "quarantined", "wrong_format", 5),
)


def test_counts_by_urn_leave_empty_messages_out():
    counts = BatchCounts("a", 1, ROWS).by_urn
    assert counts == UrnCounts({URN: 90}, {URN: 3}, {OTHER: {"invalid_json": 2}, URN: {"wrong_format": 5}})
    assert counts.read() == 100


@pytest.mark.spark
@pytest.mark.servers
def test_a_held_batch_writes_no_rows_and_may_be_written_later(
    make_registry: Callable[..., Registry], new_place: Callable[[str], Lakehouse]
) -> None:
    schema = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
    registry, place = make_registry({URN: schema}), new_place("delta")
    bodies = [_message(n, {"id": n}) for n in range(90)] + [_message(100 + n, {}) for n in range(9)] + ["{"]
    batch = place.spark.createDataFrame([*zip(bodies, range(100), strict=True)], "value string, line long")

    def write(**thresholds: str) -> BatchCounts:
        tables = Tables(registry, "delta", place.at, position=["line"], application="a", **thresholds)
        return tables.write(batch, batch=1)

    with pytest.raises(BatchHeld) as held:
        write(hold_above="5%")
    assert held.value.message.startswith("the batch is held: 10% of 100 messages would go to quarantine, above 5%")
    assert not list(place.folder.glob("*"))
    counts = write(hold_above="50%", fail_above="5%")
    assert (counts.read, counts.accepted, counts.quarantined) == (100, 90, 10)
    assert [above.scope for above in counts.exceeded] == ["total"]


def _message(number: int, data: object) -> str:
    meta = {"id": f"{number:032x}", "queue": "orders", "lang": "go", "schema_version": 1, "created_at": 1749132727000}
    return json.dumps({"job": URN, "trace_id": "t", "data": data, "meta": meta, "attempts": 0})
