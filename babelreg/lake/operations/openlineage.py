"""OpenLineage events of a run: START, then COMPLETE or FAIL, as JSON objects.

Inputs are the message folder or file (ingest) or the quarantine (redrive), outputs the tables that got rows and the
quarantine.
Datasets are named as the specification names local files: namespace ``file``, the absolute path as the name.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from babelreg.lake.ingest.compaction import Compacted
from babelreg.lake.operations.lineage_event import (
    MOST_TABLES,
    Event,
    error_facet,
    input_dataset,
    output_dataset,
    run_event,
    table_facets,
)
from babelreg.lake.operations.run_record import RunRecord
from babelreg.lake.storage import output_folder as folder
from babelreg.model import Registry


def events(run: RunRecord, registry: Registry | None, environment: Mapping[str, str] = os.environ) -> list[Event]:
    """Return the events of ``run``, in order. ``registry`` describes the columns of tables, where it could be read."""
    ended = "COMPLETE" if run.committed else "FAIL"
    job = f"spark_{run.command}:{run.lake.absolute()}"
    start = run_event("START", run.started_at_utc, run.run_id, job, environment)
    end = run_event(ended, run.ended_at_utc, run.run_id, job, environment)
    end["inputs"] = _inputs(run)
    end["outputs"] = _outputs(run, registry)
    if problem := _problem(run):
        end["run"]["facets"]["errorMessage"] = error_facet(problem)
    return [start, end]


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
    path = "/dev/stdin" if summary.input == "-" else str(Path(summary.input).absolute())
    return [input_dataset("file", path, summary.read, summary.exceeded, files=summary.files, held=summary.held)]


def _outputs(run: RunRecord, registry: Registry | None) -> list[Event]:
    if isinstance(run.result, Compacted):
        return [
            _output(run.lake / (folder.QUARANTINE if urn == folder.QUARANTINE else folder.table_folder(urn)), rows, {})
            for urn, rows in sorted(run.result.rows.items())
        ]
    summary = run.summary
    if summary is None or summary.held:
        return []
    largest = sorted(summary.tables, key=lambda urn: (-summary.tables[urn], urn))[:MOST_TABLES]
    outputs = [
        _output(run.lake / folder.table_folder(urn), summary.tables[urn], table_facets(urn, registry))
        for urn in sorted(largest)
        if summary.tables[urn]
    ]
    if summary.quarantined:
        outputs.append(_output(run.lake / folder.QUARANTINE, summary.quarantined, {}))
    return outputs


def _output(path: Path, rows: int, facets: Mapping[str, Any]) -> Event:
    return output_dataset("file", str(path.absolute()), rows, facets)
