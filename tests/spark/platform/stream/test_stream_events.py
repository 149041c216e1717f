"""Events of a stream as OpenLineage's own client reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from babelreg.errors import InputError
from babelreg.lake.ingest.summary import BatchHeld
from babelreg.lake.ingest.thresholds import ExceededThreshold
from babelreg.model import Registry
from babelreg.spark.platform.stream import stream_settings
from babelreg.spark.platform.stream.stream_batch import StreamBatch
from babelreg.spark.platform.stream.stream_summary import StreamSummary
from babelreg.spark.platform.tables.batch_counts import BatchCounts

pytest.importorskip("openlineage.client")

from lineage_client import as_given, round_tripped

from babelreg.spark.platform.stream import stream_events

CREATED = "urn:babel:orders:created"
START = datetime(2026, 11, 22, 12, tzinfo=UTC)
RUN_ID = "0198a2a4-4fd3-7b9c-9d7e-6d2b8e2f3a10"
ABOVE = ExceededThreshold("total", "5%", "8.2%", 110, 9, {"poison": 9})
KAFKA = "kafka://b1:9092,b2:9092/orders,more", "delta", "s3a://lake/tables", "s3a://lake/checkpoint"


@pytest.fixture
def registry(make_registry: Callable[..., Registry]) -> Registry:
    return make_registry({CREATED: {"type": "object", "properties": {"id": {"type": "integer"}}}})


def _run(*place: str) -> StreamSummary:
    run = StreamSummary(stream_settings(*(place or KAFKA)), RUN_ID, START, now_utc=START)
    rows = ((CREATED, "accepted", None, 100), (CREATED, "quarantined", "poison", 9), (None, "empty", None, 1))
    return run.with_batch(StreamBatch(BatchCounts("app", 0, rows), 2.0), START + timedelta(seconds=2))


def _counted(datasets: list[dict[str, Any]], kind: str) -> list[tuple[str, str, int | None]]:
    facet = {"inputFacets": "inputStatistics", "outputFacets": "outputStatistics"}[kind]
    return [(item["namespace"], item["name"], item[kind].get(facet, {}).get("rowCount")) for item in datasets]


@pytest.mark.parametrize(
    "run, kind",
    [
        pytest.param(_run(), "RUNNING", id="after a batch"),
        pytest.param(_run().ended(START, None), "COMPLETE", id="a run that ended"),
        pytest.param(replace(_run(), exceeded=(ABOVE,)).ended(START, None), "COMPLETE", id="a stored batch above"),
        pytest.param(_run().ended(START, BatchHeld([ABOVE])), "FAIL", id="a held batch"),
        pytest.param(_run().ended(START, InputError("no such topic", fix="create it")), "FAIL", id="an error"),
    ],
)
def test_events_round_trip_through_the_client(run: StreamSummary, kind: str, registry: Registry) -> None:
    environment = {"OPENLINEAGE_PARENT_ID": f"airflow/dag.task/{RUN_ID}", "OPENLINEAGE_NAMESPACE": "shop"}
    make = stream_events.running if kind == "RUNNING" else stream_events.ended
    for event, type_ in ((stream_events.started(run, environment), "START"), (make(run, registry, environment), kind)):
        assert event["eventType"] == type_
        assert round_tripped(event) == as_given(event)
        assert event["run"]["facets"]["parent"]["job"] == {"namespace": "airflow", "name": "dag.task"}
        assert event["job"]["name"] == "spark_stream:s3a://lake/checkpoint"
        assert event["job"]["facets"]["jobType"]["processingType"] == "STREAMING"


def test_datasets_are_named_as_other_integrations_name_them(registry: Registry) -> None:
    event = stream_events.running(_run(), registry, {})
    assert _counted(event["inputs"], "inputFacets") == [
        ("kafka://b1:9092", "orders", 110),
        ("kafka://b1:9092", "more", None),
    ]
    assert _counted(event["outputs"], "outputFacets") == [
        ("s3://lake", "tables/orders_created__rows", 100),
        ("s3://lake", "tables/babelreg__quarantine", 9),
    ]
    columns = [column["name"] for column in event["outputs"][0]["facets"]["schema"]["fields"]]
    assert {"message_id", "data"} <= set(columns)


@pytest.mark.parametrize(
    "to, at, table",
    [
        pytest.param("delta", "/data/tables", ("file", "/data/tables/orders_created__rows"), id="a folder"),
        pytest.param(
            "iceberg", "/data/ice", ("file", "/data/ice/messages/orders_created__rows"), id="Iceberg in a folder"
        ),
        pytest.param("iceberg", "lake.shop", ("lake", "shop.orders_created__rows"), id="a catalog"),
    ],
)
def test_a_table_is_named_by_its_place(to: str, at: str, table: tuple[str, str], tmp_path: Path) -> None:
    event = stream_events.running(_run(str(tmp_path / "in box"), to, at, "/data/checkpoint"), None, {})
    assert (event["inputs"][0]["namespace"], event["inputs"][0]["name"]) == ("file", str(tmp_path / "in box"))
    assert (event["outputs"][0]["namespace"], event["outputs"][0]["name"]) == table


def test_a_held_batch_says_which_share() -> None:
    event = stream_events.ended(_run().ended(START, BatchHeld([ABOVE])), None, {})
    assert "8.2% of 110 messages would go to quarantine" in event["run"]["facets"]["errorMessage"]["message"]
    (assertion,) = event["inputs"][0]["inputFacets"]["dataQualityAssertions"]["assertions"]
    assert (assertion["name"], assertion["expected"], assertion["actual"]) == ("hold_above:total", "<= 5%", "8.2%")
