"""Events of a run as OpenLineage's own client reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from babelreg.lake.ingest.thresholds import ExceededThreshold
from babelreg.lake.operations.openlineage import events
from babelreg.lake.operations.run_record import RunRecord
from babelreg.model import Registry
from babelreg.spark import Compacted, Summary

pytest.importorskip("openlineage.client")

from lineage_client import as_given, round_tripped

CREATED = "urn:babel:orders:created"
SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "description": "Order number."},
        "total": {"type": "object", "properties": {"minor": {"type": "integer"}}},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}},
    },
}
START = datetime(2026, 11, 22, 12, tzinfo=UTC)
RUN_ID = "0198a2a4-4fd3-7b9c-9d7e-6d2b8e2f3a10"
ABOVE = ExceededThreshold("total", "5%", "8.2%", 110, 9, {"poison": 9})
SUMMARY = Summary("in", "lake", 1, 3, 0, 110, 100, 1, 9, {CREATED: 100}, {CREATED: 1}, {"poison": 9})


@pytest.fixture
def registry(make_registry: Callable[..., Registry]) -> Registry:
    return make_registry({CREATED: SCHEMA})


def _run(result: Any, error: str | None = None, command: Any = "ingest") -> RunRecord:
    return RunRecord(command, RUN_ID, Path("lake"), Path("in"), START, START + timedelta(seconds=2), result, error)


RUNS = [
    pytest.param(_run(SUMMARY), "COMPLETE", id="a run"),
    pytest.param(_run(replace(SUMMARY, exceeded=(ABOVE,))), "COMPLETE", id="a run above a threshold"),
    pytest.param(_run(replace(SUMMARY, exceeded=(ABOVE,), held=True, batch=None)), "FAIL", id="a held batch"),
    pytest.param(_run(None, "cannot read in/a.jsonl"), "FAIL", id="an error"),
    pytest.param(_run(Summary("in", "lake", known_files=4)), "COMPLETE", id="nothing new"),
    pytest.param(_run(SUMMARY, command="redrive"), "COMPLETE", id="a redrive"),
    pytest.param(
        _run(Compacted("lake", 2, {CREATED: 20}, {CREATED: 5}), command="compact"), "COMPLETE", id="a compaction"
    ),
]


@pytest.mark.parametrize("run, ended", RUNS)
def test_events_round_trip_through_the_client(run: RunRecord, ended: str, registry: Registry) -> None:
    environment = {"OPENLINEAGE_PARENT_ID": f"airflow/dag.task/{RUN_ID}", "OPENLINEAGE_NAMESPACE": "shop"}
    made = events(run, registry, environment)
    assert [event["eventType"] for event in made] == ["START", ended]
    for event in made:
        assert round_tripped(event) == as_given(event)
        assert event["run"]["facets"]["parent"]["job"] == {"namespace": "airflow", "name": "dag.task"}
        assert event["job"]["namespace"] == "shop"


def test_outputs_are_the_tables_with_their_columns_and_the_quarantine(registry: Registry) -> None:
    _, end = events(_run(SUMMARY), registry, {})
    table, quarantine = end["outputs"]
    assert table["name"] == str(Path("lake/tables/orders/created").absolute())
    assert table["outputFacets"]["outputStatistics"]["rowCount"] == 100
    assert (quarantine["name"], quarantine["outputFacets"]["outputStatistics"]["rowCount"]) == (
        str(Path("lake/quarantine").absolute()),
        9,
    )
    columns = {column["name"]: column for column in table["facets"]["schema"]["fields"]}
    assert columns["created_at"]["type"] == "TIMESTAMP"
    data = {column["name"]: column for column in columns["data"]["fields"]}
    assert (data["id"]["type"], data["id"]["description"]) == ("BIGINT", "Order number.")
    assert data["lines"]["fields"] == [{"name": "sku", "type": "STRING"}]
    assert end["inputs"][0]["inputFacets"]["inputStatistics"]["rowCount"] == 110


def test_a_held_batch_fails_has_no_outputs_and_says_which_share(registry: Registry) -> None:
    _, end = events(_run(replace(SUMMARY, exceeded=(ABOVE,), held=True, batch=None)), registry, {})
    assert end["outputs"] == []
    assert "total 8.2% (limit 5%)" in end["run"]["facets"]["errorMessage"]["message"]
    (assertion,) = end["inputs"][0]["inputFacets"]["dataQualityAssertions"]["assertions"]
    assert (assertion["success"], assertion["expected"], assertion["actual"]) == (False, "<= 5%", "8.2%")


@pytest.mark.parametrize("parent", ["", "a/b", "a/b/not-a-uuid", f"b/{RUN_ID}", "//"])
def test_a_parent_that_is_not_one_is_left_out(parent: str) -> None:
    assert "parent" not in events(_run(SUMMARY), None, {"OPENLINEAGE_PARENT_ID": parent})[0]["run"]["facets"]
