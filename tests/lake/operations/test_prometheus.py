"""Metrics of a run: gauges of the run itself, counters of the whole lake."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import pytest

from babelreg.lake.ingest.thresholds import ExceededThreshold
from babelreg.lake.operations.exposition import samples
from babelreg.lake.operations.prometheus import metrics
from babelreg.lake.operations.run_record import RunRecord
from babelreg.lake.storage.log import manifest
from babelreg.lake.storage.log.manifest import Batch, TableRows
from babelreg.spark import Compacted, Summary

A = "urn:babel:a:a"
START = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    (tmp_path / "lake").mkdir()
    return tmp_path / "lake"


def _commit(lake: Path, kind: Literal["ingest", "redrive", "compaction"], accepted: int, quarantined: int) -> None:
    number = manifest.listing(lake).newest + 1
    tables = {A: TableRows(accepted, ())} if accepted else {}
    reasons = {"poison": quarantined} if quarantined else {}
    batch = Batch(
        number, kind, accepted + quarantined + 1, accepted, 1, quarantined, False, (), tables, TableRows(0, ()), reasons,
        {A: 1}, (),
    )  # fmt: skip
    (lake / manifest.FOLDER).mkdir(exist_ok=True)
    manifest.write(lake, batch)


def _run(lake: Path, result: Any = None, **members: Any) -> RunRecord:
    run = RunRecord("ingest", "id", lake, Path("in"), START, START + timedelta(seconds=2.5), result)
    return replace(run, **members)


def _values(text: str, name: str) -> dict[tuple[str, ...], float]:
    return {
        tuple(value for key, value in sample.labels.items() if key != "lake"): sample.value
        for sample in samples(text).get(name, ())
    }


SUMMARY = Summary(
    "in", "lake", 1, 3, 0, 110, 100, 1, 9, {A: 100}, {A: 1}, {"poison": 9}, {A: {"poison": 4}, "other": {"poison": 5}}
)


def test_gauges_describe_the_last_run(lake: Path) -> None:
    text = metrics(_run(lake, SUMMARY))
    assert _values(text, "babelreg_ingest_last_run_messages") == {
        (A, "accepted"): 100,
        (A, "duplicate"): 1,
        (A, "quarantined"): 4,
        ("other", "quarantined"): 5,
    }
    assert _values(text, "babelreg_ingest_last_run_refused") == {(A, "poison"): 4, ("other", "poison"): 5}
    assert _values(text, "babelreg_ingest_last_run_success") == {(): 1}
    assert _values(text, "babelreg_ingest_last_run_duration_seconds") == {(): 2.5}
    assert all(sample.labels["lake"] == str(lake) for family in samples(text).values() for sample in family)


def test_counters_are_those_of_the_lake_and_go_on_from_the_file_before(lake: Path) -> None:
    _commit(lake, "ingest", 100, 9)
    first = metrics(_run(lake, SUMMARY))
    _commit(lake, "redrive", 3, 5)
    _commit(lake, "compaction", 100, 0)
    _commit(lake, "ingest", 10, 0)
    again = metrics(_run(lake, SUMMARY), first)
    assert again == metrics(_run(lake, SUMMARY))
    for name, values in {
        "babelreg_ingest_batches_total": {(): 4},
        "babelreg_ingest_read_total": {(): 110 + 11},
        "babelreg_ingest_accepted_total": {(A,): 110},
        "babelreg_ingest_duplicates_total": {(A,): 2},
        "babelreg_ingest_quarantined_total": {("poison",): 9},
        "babelreg_ingest_quarantine_messages": {(): 9 - 3 - 1},
    }.items():
        assert _values(again, name) == values


@pytest.mark.parametrize(
    "previous",
    [
        pytest.param("", id="no file"),
        pytest.param("nonsense \x00 {", id="a file that is not ours"),
        pytest.param('babelreg_ingest_batches_total{lake="/elsewhere"} 1\n', id="a file of another lake"),
        pytest.param("LARGER", id="a file of more batches than there are"),
    ],
)
def test_counters_start_anew_where_the_file_before_is_of_no_use(previous: str, lake: Path) -> None:
    _commit(lake, "ingest", 100, 9)
    text = metrics(_run(lake, SUMMARY))
    if previous == "LARGER":
        previous = text.replace(f'batches_total{{lake="{lake}"}} 1', f'batches_total{{lake="{lake}"}} 7')
        assert previous != text
    assert metrics(_run(lake, SUMMARY), previous) == text


@pytest.mark.parametrize(
    "result, error",
    [
        pytest.param(None, "cannot read the input", id="an error"),
        pytest.param(
            replace(SUMMARY, held=True, batch=None, exceeded=(ExceededThreshold("total", "5%", "8.2%", 110, 9, {}),)),
            None,
            id="a held batch",
        ),
    ],
)
def test_a_failed_run_keeps_the_time_of_the_last_success(result: Any, error: str | None, lake: Path) -> None:
    before = metrics(_run(lake, SUMMARY))
    later = START + timedelta(hours=1)
    text = metrics(_run(lake, result, error=error, started_at_utc=later, ended_at_utc=later), before)
    success = {(): (START + timedelta(seconds=2.5)).timestamp()}
    assert _values(text, "babelreg_ingest_last_run_success") == {(): 0}
    assert _values(text, "babelreg_ingest_last_success_timestamp_seconds") == success
    assert _values(text, "babelreg_ingest_last_run_timestamp_seconds") == {(): later.timestamp()}


def test_a_compaction_tells_files_and_rows_under_its_own_names(lake: Path) -> None:
    text = metrics(_run(lake, Compacted("lake", 4, {A: 17}, {A: 1_000}), command="compact"))
    assert _values(text, "babelreg_compact_last_run_rows") == {(A,): 1_000}
    assert all(name.startswith("babelreg_compact_") for name in samples(text))
