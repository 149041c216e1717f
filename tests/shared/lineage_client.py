"""Events of OpenLineage, read and written by its own client, which checks what it is given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from openlineage.client import event_v2, facet_v2
from openlineage.client.serde import Serde

__all__ = ["as_given", "round_tripped"]

FACETS: Mapping[str, Any] = {
    "parent": facet_v2.parent_run.ParentRunFacet,
    "errorMessage": facet_v2.error_message_run.ErrorMessageRunFacet,
    "jobType": facet_v2.job_type_job.JobTypeJobFacet,
    "schema": facet_v2.schema_dataset.SchemaDatasetFacet,
    "documentation": facet_v2.documentation_dataset.DocumentationDatasetFacet,
    "inputStatistics": facet_v2.input_statistics_input_dataset.InputStatisticsInputDatasetFacet,
    "outputStatistics": facet_v2.output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet,
    "dataQualityMetrics": facet_v2.data_quality_metrics_input_dataset.DataQualityMetricsInputDatasetFacet,
    "dataQualityAssertions": facet_v2.data_quality_assertions_dataset.DataQualityAssertionsDatasetFacet,
}
PARTS: Mapping[str, Any] = {
    "fields": facet_v2.schema_dataset.SchemaDatasetFacetFields,
    "assertions": facet_v2.data_quality_assertions_dataset.Assertion,
}


def round_tripped(event: dict[str, Any]) -> Any:
    """The event as the client writes what it read, comparable with :func:`as_given`."""
    return _plain(json.loads(Serde.to_json(_event_of(event))))


def as_given(event: dict[str, Any]) -> Any:
    """The event without empty members and what the client writes by itself."""
    return _plain(json.loads(json.dumps(event)))


def _event_of(event: dict[str, Any]) -> event_v2.RunEvent:
    """The event built from the client's own classes, which check what they are given."""
    return event_v2.RunEvent(
        eventTime=event["eventTime"],
        producer=event["producer"],
        eventType=event_v2.RunState(event["eventType"]),
        run=event_v2.Run(event["run"]["runId"], _facets(event["run"]["facets"])),
        job=event_v2.Job(event["job"]["namespace"], event["job"]["name"], _facets(event["job"]["facets"])),
        inputs=[
            event_v2.InputDataset(i["namespace"], i["name"], inputFacets=_facets(i["inputFacets"]))
            for i in event["inputs"]
        ],
        outputs=[
            event_v2.OutputDataset(
                o["namespace"], o["name"], facets=_facets(o["facets"]), outputFacets=_facets(o["outputFacets"])
            )
            for o in event["outputs"]
        ],
    )


def _facets(facets: Any) -> dict[str, Any]:
    return {name: _made(FACETS[name], value) for name, value in (facets or {}).items()}


def _made(class_: Any, value: Mapping[str, Any]) -> Any:
    members = {key: member for key, member in value.items() if not key.startswith("_")}
    for key, part in PARTS.items():
        if key in members:
            members[key] = [_made(part, item) for item in members[key]]
    return class_(**members)


def _plain(value: Any) -> Any:
    """An event without what the client adds by itself: empty members, and its own producer and versions of facets."""
    if isinstance(value, dict):
        plain = {
            key: _plain(member) for key, member in value.items() if key not in ("_producer", "_schemaURL", "schemaURL")
        }
        return {key: member for key, member in plain.items() if member not in ({}, [], None)}
    return [_plain(item) for item in value] if isinstance(value, list) else value
