"""Parts of OpenLineage events that all commands share: the event, its datasets and facets, as JSON objects.

The job's namespace is OPENLINEAGE_NAMESPACE, and OPENLINEAGE_PARENT_ID names the run that started this one, as with
OpenLineage's other integrations.

Source: openlineage.io, OpenLineage.json 2-0-2 and the facets' schemas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from babelreg import __version__
from babelreg.lake.ingest.thresholds import LEAST_MESSAGES, ExceededThreshold
from babelreg.model import Registry
from babelreg.typemap import spark as typemap

MOST_TABLES = 1_000
"""Tables that an event names at most."""

_PRODUCER = f"https://pypi.org/project/babelreg/{__version__}/"
_SPEC = "https://openlineage.io/spec"
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)

Event = dict[str, Any]


def run_event(
    type_: str,
    time: datetime,
    run_id: str,
    job: str,
    environment: Mapping[str, str],
    processing: Literal["BATCH", "STREAMING"] = "BATCH",
) -> Event:
    """Return an event of the type ``type_`` without datasets."""
    parent = _parent(environment.get("OPENLINEAGE_PARENT_ID", ""))
    return {
        "eventType": type_,
        "eventTime": time.isoformat(timespec="milliseconds"),
        "producer": _PRODUCER,
        "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id, "facets": {"parent": parent} if parent else {}},
        "job": {
            "namespace": environment.get("OPENLINEAGE_NAMESPACE") or "babelreg",
            "name": job,
            "facets": {
                "jobType": _facet(
                    "JobTypeJobFacet", "2-0-4", processingType=processing, integration="BABELREG", jobType="COMMAND"
                )
            },
        },
        "inputs": [],
        "outputs": [],
    }


def error_facet(problem: str) -> dict[str, Any]:
    """Return the facet ``errorMessage`` of a run that failed."""
    return _facet("ErrorMessageRunFacet", "1-0-1", message=problem, programmingLanguage="PYTHON")


def input_dataset(
    namespace: str,
    name: str,
    rows: int | None,
    exceeded: Iterable[ExceededThreshold] = (),
    *,
    files: int | None = None,
    held: bool = False,
) -> Event:
    """Return an input that ``rows`` messages were read from; exceeded thresholds are failed assertions.

    An input without a number of rows has no facets.
    """
    if rows is None:
        return {"namespace": namespace, "name": name, "inputFacets": {}}
    counts = {"rowCount": rows} if files is None else {"rowCount": rows, "fileCount": files}
    facets = {
        "inputStatistics": _facet("InputStatisticsInputDatasetFacet", "1-0-0", **counts),
        "dataQualityMetrics": _facet("DataQualityMetricsInputDatasetFacet", "1-0-3", **counts, columnMetrics={}),
    }
    if assertions := _assertions(exceeded, held):
        facets["dataQualityAssertions"] = _facet("DataQualityAssertionsDatasetFacet", "1-1-0", assertions=assertions)
    return {"namespace": namespace, "name": name, "inputFacets": facets}


def output_dataset(namespace: str, name: str, rows: int, facets: Mapping[str, Any]) -> Event:
    """Return an output that got ``rows`` rows."""
    statistics = _facet("OutputStatisticsOutputDatasetFacet", "1-0-2", rowCount=rows)
    return {
        "namespace": namespace,
        "name": name,
        "facets": dict(facets),
        "outputFacets": {"outputStatistics": statistics},
    }


def table_facets(urn: str, registry: Registry | None) -> dict[str, Any]:
    """Return the columns and the description of the table of ``urn``, where the registry knows them."""
    message = registry.by_urn.get(urn) if registry else None
    if message is None or message.schema is None:
        return {}
    columns = typemap.table(typemap.columns(message.schema), aliased=bool(message.aliases))
    facets = {"schema": _facet("SchemaDatasetFacet", "1-2-0", fields=_fields(columns))}
    if message.description:
        facets["documentation"] = _facet("DocumentationDatasetFacet", "1-1-0", description=message.description)
    return facets


def _facet(name: str, version: str, **members: Any) -> dict[str, Any]:
    return {"_producer": _PRODUCER, "_schemaURL": f"{_SPEC}/facets/{version}/{name}.json#/$defs/{name}", **members}


def _parent(text: str) -> dict[str, Any] | None:
    """Return the facet of the parent 'namespace/job/runId', else None; a namespace may have slashes."""
    rest, _, run_id = text.rpartition("/")
    namespace, _, name = rest.rpartition("/")
    if not (namespace and name and _UUID.fullmatch(run_id)):
        return None
    return _facet("ParentRunFacet", "1-2-0", run={"runId": run_id}, job={"namespace": namespace, "name": name})


def _assertions(exceeded: Iterable[ExceededThreshold], held: bool) -> list[dict[str, Any]]:
    """Return a failed assertion for each threshold."""
    return [
        {
            "assertion": "quarantined_share",
            "name": f"{'hold_above' if held else 'fail_above'}:{above.scope}",
            "success": False,
            "severity": "error",
            "description": f"Share of quarantined messages, from {LEAST_MESSAGES} messages on.",
            "expected": f"<= {above.limit}",
            "actual": above.share,
        }
        for above in exceeded
    ]


def _fields(struct: typemap.Struct) -> list[dict[str, Any]]:
    """Return the columns with their Spark types; those of nested structs, also in arrays, are fields of the column."""
    fields = []
    for column in struct.fields:
        inner = column.type
        while isinstance(inner, typemap.Array):
            inner = inner.element
        nested = {"fields": _fields(inner)} if isinstance(inner, typemap.Struct) else {}
        described = {"description": column.comment} if column.comment else {}
        name = "struct" if isinstance(column.type, typemap.Struct) else typemap.ddl_type(column.type)
        fields.append({"name": column.name, "type": name, **described, **nested})
    return fields
