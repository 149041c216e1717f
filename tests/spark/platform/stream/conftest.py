"""A session with the jars of Kafka, S3, Delta and Iceberg, and streams that run in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from s3_server import S3Server

from babelreg import load
from babelreg.model import Registry
from babelreg.spark.platform.stream import Observer, spark_jars, stream, stream_settings
from babelreg.spark.platform.stream.stream_batch import StreamBatch

URN = "urn:babel:orders:created"

Run = Callable[..., "Batches"]


class Batches(Observer):
    """The batches and warnings of a run."""

    def __init__(self) -> None:
        self.batches: list[StreamBatch] = []
        self.warnings: list[str] = []

    def batch(self, batch: StreamBatch) -> None:
        self.batches.append(batch)

    def warning(self, text: str) -> None:
        self.warnings.append(text)

    def total(self, name: str) -> int:
        return sum(batch.as_json()[name] for batch in self.batches)


@pytest.fixture(scope="session")
def stream_session(spark: Any, s3: S3Server) -> Any:
    """A session on the one Spark of the tests."""
    own = spark.newSession()
    own.conf.set("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    for key, value in s3.spark_settings.items():
        own.sparkContext._jsc.hadoopConfiguration().set(key.removeprefix("spark.hadoop."), value)
    return own


@pytest.fixture(scope="session")
def orders() -> Registry:
    data = {
        "type": "object",
        "required": ["total"],
        "properties": {"total": {"type": "integer"}, "who": {"type": "string"}},
    }
    message = {"urn": URN, "kind": "event", "data": data}
    files = {
        "babelreg.yaml": b"version: 1\n",
        "orders/_context.yaml": b"owner: team\n",
        "orders/created.yaml": json.dumps(message).encode(),
    }
    return load.from_tree(load.files.tree.Memory(files))


@pytest.fixture
def run(stream_session: Any, orders: Registry) -> Run:
    """Run a stream to its end; return what it told."""

    def to_end(source: str, to: str, at: str, checkpoint: str | Path, observer: Any = None, **others: Any) -> Any:
        batches, session = observer or Batches(), stream_session
        if to == "iceberg":
            session = stream_session.newSession()
            for key, value in spark_jars.settings(to, at).items():
                session.conf.set(key, value)
        stream(session, orders, stream_settings(source, to, at, str(checkpoint), **others), observer=batches)
        return batches

    return to_end


@pytest.fixture(scope="session")
def order() -> Callable[..., bytes]:
    """A message; ``number`` gives its id."""

    def made(number: int, total: Any = None) -> bytes:
        meta = {"id": f"{number:032x}", "queue": "orders", "lang": "go", "schema_version": 1}
        data = {"total": number if total is None else total}
        body = {"job": URN, "trace_id": f"t{number}", "data": data, "attempts": 0}
        return json.dumps({**body, "meta": {**meta, "created_at": 1749132727000 + number}}).encode()

    return made
