"""OpenLineage events of a run of a stream: START, RUNNING after each batch, then COMPLETE or FAIL, as JSON objects.

Each event has the counts of the run up to its time. Datasets are named as the specification names them: topics of
Kafka, folders of object stores, local files; a table in a catalog by the catalog and its name in it.

Source: openlineage.io, "Dataset naming".
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote, urlsplit

from babelreg.lake.ingest.summary import BatchHeld
from babelreg.lake.operations.lineage_event import (
    MOST_TABLES,
    Event,
    error_facet,
    input_dataset,
    output_dataset,
    run_event,
    table_facets,
)
from babelreg.model import Registry
from babelreg.spark.platform.formats.table_names import QUARANTINE, TablePlace, table_name
from babelreg.spark.platform.stream.place import KafkaPlace
from babelreg.spark.platform.stream.stream_summary import StreamSummary

_S3 = re.compile(r"s3[an]?\Z")


def started(run: StreamSummary, environment: Mapping[str, str] = os.environ) -> Event:
    """Return the event of the beginning."""
    event = _event("START", run, environment)
    event["eventTime"] = run.started_at_utc.isoformat(timespec="milliseconds")
    return event


def running(run: StreamSummary, registry: Registry | None, environment: Mapping[str, str] = os.environ) -> Event:
    """Return the event after a batch."""
    return _with_datasets(_event("RUNNING", run, environment), run, registry)


def ended(run: StreamSummary, registry: Registry | None, environment: Mapping[str, str] = os.environ) -> Event:
    """Return the event of the end. A run that stored a batch above ``fail_above`` is complete."""
    problem = BatchHeld(run.exceeded).message if run.held else run.error
    event = _with_datasets(_event("FAIL" if problem else "COMPLETE", run, environment), run, registry)
    if problem:
        event["run"]["facets"]["errorMessage"] = error_facet(problem)
    return event


def _event(type_: str, run: StreamSummary, environment: Mapping[str, str]) -> Event:
    job = f"spark_stream:{run.settings.checkpoint}"
    return run_event(type_, run.ended_at_utc or run.now_utc, run.run_id, job, environment, "STREAMING")


def _with_datasets(event: Event, run: StreamSummary, registry: Registry | None) -> Event:
    counts = run.counts
    sources = list(_sources(run))
    # Counts are those of all topics together, so they stand at the first.
    event["inputs"] = [
        input_dataset(*source, *((counts.read, run.exceeded) if first else (None, ())), held=run.held)
        for first, source in zip([True] + [False] * len(sources), sources, strict=False)
    ]
    tables = counts.tables
    largest = sorted(tables, key=lambda urn: (-tables[urn], urn))[:MOST_TABLES]
    event["outputs"] = [
        output_dataset(*_table(run, table_name(urn)), tables[urn], table_facets(urn, registry))
        for urn in sorted(largest)
    ]
    if counts.quarantined:
        event["outputs"].append(output_dataset(*_table(run, QUARANTINE), counts.quarantined, {}))
    return event


def _sources(run: StreamSummary) -> Iterator[tuple[str, str]]:
    """Yield the namespace and the name of what is read."""
    source = run.settings.source
    if isinstance(source, KafkaPlace):
        yield from ((f"kafka://{source.servers[0]}", topic) for topic in source.topics)
    else:
        yield _folder(source.address)


def _table(run: StreamSummary, name: str) -> tuple[str, str]:
    """Return the namespace and the name of a table."""
    at, tables_at = run.settings.at, run.settings.tables_at
    if TablePlace(at).is_folder:
        namespace, folder = _folder(at)
        # Iceberg's catalog of a folder keeps the tables of a schema in a folder of its name.
        below = "" if tables_at == at else f"{tables_at.rpartition('.')[2]}/"
        return namespace, f"{folder.rstrip('/')}/{below}{name}"
    catalog, _, schema = at.partition(".")
    return catalog, f"{schema}.{name}"


def _folder(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    if parts.scheme in ("", "file"):
        return "file", unquote(parts.path)
    scheme = "s3" if _S3.match(parts.scheme) else parts.scheme
    host = parts.netloc.rpartition("@")[2] if scheme == "s3" else parts.netloc
    return f"{scheme}://{host}", parts.path.strip("/") or "/"
