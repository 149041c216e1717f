"""Counts that a stream begins with: those that its tables have of all earlier runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.lake.ingest.summary import BatchHeld
from babelreg.model import Registry
from babelreg.spark.platform.stream import Observer, stream, stream_settings
from babelreg.spark.platform.tables.batch_counts import BatchCounts, added
from babelreg.spark.platform.tables.batch_totals import BatchTotals

pytestmark = [pytest.mark.spark, pytest.mark.servers]

Order = Callable[..., bytes]
Run = Callable[..., Any]
URN = "urn:babel:orders:created"


class Totals(Observer):
    """The totals that a run began with."""

    wants_totals = True
    totals: BatchTotals | None = None

    def begin(self, totals: BatchTotals | None) -> None:
        self.totals = totals


@pytest.fixture(params=["delta", pytest.param("iceberg", marks=pytest.mark.long)])
def place(request: pytest.FixtureRequest, tmp_path: Path, stream_session: Any) -> tuple[str, str, str, str]:
    (tmp_path / "inbox").mkdir()
    return str(tmp_path / "inbox"), request.param, str(tmp_path / "tables"), str(tmp_path / "checkpoint")


def test_totals_are_those_of_all_finished_batches(run: Run, order: Order, place: tuple[str, str, str, str]) -> None:
    def totals() -> Any:
        return run(*place, observer=Totals()).totals

    inbox = Path(place[0])
    assert totals() == BatchTotals()
    rows: tuple[Any, ...] = ()
    for number in range(2):
        (inbox / f"{number}.jsonl").write_bytes(b"\n".join([order(number), order(0), b"{", order(-1, "much")]))
        (batch,) = run(*place).batches
        rows = added(rows, batch.counts.rows)
    result = totals()
    assert result is not None
    assert result.batches == 2
    assert sorted(result.rows, key=str) == sorted(rows, key=str)
    counts = BatchCounts("", 0, result.rows)
    assert (counts.read, counts.accepted, counts.duplicates, counts.quarantined) == (8, 2, 2, 4)


def _orders(thresholds: dict[str, str]) -> Registry:
    """A registry whose settings have thresholds."""
    data = {"type": "object", "required": ["total"], "properties": {"total": {"type": "integer"}}}
    files = {
        "babelreg.yaml": json.dumps({"version": 1, "spark": thresholds}).encode(),
        "orders/_context.yaml": b"owner: team\n",
        "orders/created.yaml": json.dumps({"urn": URN, "kind": "event", "data": data}).encode(),
    }
    return load.from_tree(load.files.tree.Memory(files))


@pytest.mark.parametrize(
    "thresholds, given, outcome",
    [
        pytest.param({"hold_above": "5%"}, {}, "held", id="held by the settings"),
        pytest.param({"fail_above": "5%"}, {}, "exceeded", id="failed by the settings"),
        pytest.param({"hold_above": "5%"}, {"hold_above": "total=100%"}, "stored", id="the option replaces them"),
    ],
)
def test_thresholds_of_the_settings_hold(
    thresholds: dict[str, str], given: dict[str, str], outcome: str, order: Order, stream_session: Any, tmp_path: Path
) -> None:
    (tmp_path / "inbox").mkdir()
    (tmp_path / "inbox" / "a.jsonl").write_bytes(b"\n".join([*map(order, range(100)), *[b"{"] * 10]))
    place = str(tmp_path / "inbox"), "delta", str(tmp_path / "tables"), str(tmp_path / "checkpoint")
    batches: list[Any] = []
    observer = Observer()
    observer.batch = batches.append  # type: ignore[method-assign]
    settings = stream_settings(*place, **given)
    if outcome == "held":
        with pytest.raises(BatchHeld, match=r"9\.1% of 110 messages would go to quarantine"):
            stream(stream_session, _orders(thresholds), settings, observer=observer)
        assert batches == []
        return
    stream(stream_session, _orders(thresholds), settings, observer=observer)
    assert [bool(batch.counts.exceeded) for batch in batches] == [outcome == "exceeded"]
    assert [batch.counts.read for batch in batches] == [110]
