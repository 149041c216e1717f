"""OpenLineage events of a run: START, then COMPLETE or FAIL, as JSON objects.

Inputs are the message folder (ingest) or the quarantine (redrive), outputs the tables that got rows and the quarantine.
Datasets are named as the specification names local files: namespace ``file``, the absolute path as the name. The
job's namespace is OPENLINEAGE_NAMESPACE, and OPENLINEAGE_PARENT_ID names the run that started this one, as with
OpenLineage's other integrations.

Source: openlineage.io, OpenLineage.json 2-0-2 and the facets' schemas.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from babelreg import __version__
from babelreg.model import Registry
from babelreg.spark.ingest.compaction import Compacted
from babelreg.spark.ingest.summary import Summary
from babelreg.spark.lake import output_folder as folder
from babelreg.spark.operations.run_record import RunRecord
from babelreg.spark.operations.thresholds import LEAST_MESSAGES
from babelreg.typemap import spark as typemap

__all__ = ["events"]

_PRODUCER = f"https://pypi.org/project/babelreg/{__version__}/"
_SPEC = "https://openlineage.io/spec"
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_MOST_TABLES = 1_000

Event = dict[str, Any]


def events(run: RunRecord, registry: Registry | None, environment: Mapping[str, str] = os.environ) -> list[Event]:
    """Return the events of ``run``, in order. ``registry`` describes the columns of tables, where it could be read."""
    ended = "COMPLETE" if run.committed else "FAIL"
    start = _event(run, "START", run.started_at_utc, environment)
    end = _event(run, ended, run.ended_at_utc, environment)
    end["inputs"] = _inputs(run)
    end["outputs"] = _outputs(run, registry)
    if problem := _problem(run):
        end["run"]["facets"]["errorMessage"] = _facet(
            "ErrorMessageRunFacet", "1-0-1", message=problem, programmingLanguage="PYTHON"
        )
    return [start, end]


def _event(run: RunRecord, type_: str, time: datetime, environment: Mapping[str, str]) -> Event:
    parent = _parent(environment.get("OPENLINEAGE_PARENT_ID", ""))
    return {
        "eventType": type_,
        "eventTime": time.isoformat(timespec="milliseconds"),
        "producer": _PRODUCER,
        "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run.run_id, "facets": {"parent": parent} if parent else {}},
        "job": {
            "namespace": environment.get("OPENLINEAGE_NAMESPACE") or "babelreg",
            "name": f"spark_{run.command}:{run.lake.absolute()}",
            "facets": {
                "jobType": _facet(
                    "JobTypeJobFacet", "2-0-4", processingType="BATCH", integration="BABELREG", jobType="COMMAND"
                )
            },
        },
        "inputs": [],
        "outputs": [],
    }


def _facet(name: str, version: str, **members: Any) -> dict[str, Any]:
    return {"_producer": _PRODUCER, "_schemaURL": f"{_SPEC}/facets/{version}/{name}.json#/$defs/{name}", **members}


def _parent(text: str) -> dict[str, Any] | None:
    """Return the facet of the parent 'namespace/job/runId', else None; a namespace may have slashes."""
    rest, _, run_id = text.rpartition("/")
    namespace, _, name = rest.rpartition("/")
    if not (namespace and name and _UUID.fullmatch(run_id)):
        return None
    return _facet("ParentRunFacet", "1-2-0", run={"runId": run_id}, job={"namespace": namespace, "name": name})


def _problem(run: RunRecord) -> str | None:
    summary = run.summary
    if summary is not None and summary.held:
        above = ", ".join(f"{one.scope} {one.share} (limit {one.limit})" for one in summary.exceeded)
        return f"the batch was held: quarantined shares above hold_above: {above}"
    return run.error


def _inputs(run: RunRecord) -> list[Event]:
    summary = run.summary
    if summary is None:
        return []
    facets = {
        "inputStatistics": _facet(
            "InputStatisticsInputDatasetFacet", "1-0-0", rowCount=summary.read, fileCount=summary.files
        ),
        "dataQualityMetrics": _facet(
            "DataQualityMetricsInputDatasetFacet",
            "1-0-3",
            rowCount=summary.read,
            fileCount=summary.files,
            columnMetrics={},
        ),
    }
    if assertions := _assertions(summary):
        facets["dataQualityAssertions"] = _facet("DataQualityAssertionsDatasetFacet", "1-1-0", assertions=assertions)
    return [{**_dataset(Path(summary.input)), "inputFacets": facets}]


def _assertions(summary: Summary) -> list[dict[str, Any]]:
    """Return a failed assertion for each threshold that the batch exceeds."""
    return [
        {
            "assertion": "quarantined_share",
            "name": f"{'hold_above' if summary.held else 'fail_above'}:{above.scope}",
            "success": False,
            "severity": "error",
            "description": f"Share of quarantined messages, from {LEAST_MESSAGES} messages on.",
            "expected": f"<= {above.limit}",
            "actual": above.share,
        }
        for above in summary.exceeded
    ]


def _outputs(run: RunRecord, registry: Registry | None) -> list[Event]:
    if isinstance(run.result, Compacted):
        return [
            _output(run.lake / (folder.QUARANTINE if urn == folder.QUARANTINE else folder.table_folder(urn)), rows, {})
            for urn, rows in sorted(run.result.rows.items())
        ]
    summary = run.summary
    if summary is None or summary.held:
        return []
    largest = sorted(summary.tables, key=lambda urn: (-summary.tables[urn], urn))[:_MOST_TABLES]
    outputs = [
        _output(run.lake / folder.table_folder(urn), summary.tables[urn], _table_facets(urn, registry))
        for urn in sorted(largest)
        if summary.tables[urn]
    ]
    if summary.quarantined:
        outputs.append(_output(run.lake / folder.QUARANTINE, summary.quarantined, {}))
    return outputs


def _output(path: Path, rows: int, facets: dict[str, Any]) -> Event:
    statistics = _facet("OutputStatisticsOutputDatasetFacet", "1-0-2", rowCount=rows)
    return {**_dataset(path), "facets": facets, "outputFacets": {"outputStatistics": statistics}}


def _dataset(path: Path) -> Event:
    return {"namespace": "file", "name": str(path.absolute())}


def _table_facets(urn: str, registry: Registry | None) -> dict[str, Any]:
    message = registry.by_urn.get(urn) if registry else None
    if message is None or message.schema is None:
        return {}
    columns = typemap.table(typemap.columns(message.schema))
    facets = {"schema": _facet("SchemaDatasetFacet", "1-2-0", fields=_fields(columns))}
    if message.description:
        facets["documentation"] = _facet("DocumentationDatasetFacet", "1-1-0", description=message.description)
    return facets


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
