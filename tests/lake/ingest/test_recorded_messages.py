"""Messages of generated producers through a real Redis, recorded in three ways, and ingested: the same rows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest
from server import Server

from babelreg import load
from babelreg.cli import main
from babelreg.gen.targets.python import target
from babelreg.gen.write import write
from babelreg.load.service.starter import example_folder
from babelreg.model import Registry
from babelreg.spark import ingest

pytest.importorskip("babelqueue")
client = pytest.importorskip("redis")

pytestmark = [pytest.mark.spark, pytest.mark.redis]

SERVICE = """
import importlib, json, sys
from babelqueue import BabelQueue
from messages import Consumer, Reject

url, todo = sys.argv[1], json.load(open(sys.argv[2]))
app = BabelQueue(url)
sent, consumer = {}, Consumer(app, record="received")
for module, name, examples in todo:
    loaded = importlib.import_module(f"messages.{module}")
    model, producer = getattr(loaded, name), getattr(loaded, f"{name}Producer")
    for example in examples:
        for queue in ("handled", "drained"):
            identity = producer(app, queue=queue, record="sent").send(model.model_validate(example))
            sent[identity] = [queue, loaded.__name__, example]

    @consumer.on(model)
    def handle(data, context):
        if context.attempts == 0:
            raise RuntimeError("the first delivery fails: the second one is recorded, too")

app.transport._redis.rpush("drained", b"damaged\\n\\xff")
consumer.run("handled", max_messages=1000, timeout_seconds=0.05)
print(json.dumps(sent))
"""


def examples(registry: Registry) -> list[tuple[str, str, list[Any]]]:
    """Module, class and examples of each message that can be sent."""
    from babelreg.typemap.names import class_name
    from babelreg.typemap.python.names import module_name

    return [
        (module_name(message.parsed), class_name(message.parsed), [example.data for example in message.examples])
        for message in registry.messages
        if message.parsed is not None and message.schema is not None and message.status != "retired"
    ]


def rows(lake: Path) -> dict[str, Any]:
    """The data of every accepted message, by its id."""
    found = {}
    for table in {path.parent for path in (lake / "tables").rglob("*.parquet")}:
        for row in ds.dataset(table, format="parquet").to_table(["message_id", "data_json"]).to_pylist():
            assert row["message_id"] not in found
            found[row["message_id"]] = json.loads(row["data_json"])
    return found


@pytest.fixture
def service(redis: Server, tmp_path: Path) -> Callable[[], dict[str, Any]]:
    """A function that runs a service on the generated package; it returns what was sent, by id."""

    def run() -> dict[str, Any]:
        client.Redis.from_url(redis.url).flushall()
        registry = load.registry(example_folder())
        write(tmp_path, "python", list(target.files(registry, {"runtime": "vendored"})))
        (tmp_path / "todo.json").write_text(json.dumps(examples(registry)))
        command = [sys.executable, "-W", "ignore", "-c", SERVICE, redis.url, "todo.json"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        sent: dict[str, Any] = json.loads(done.stdout)
        return sent

    return run


def test_rows_are_what_was_sent_however_it_was_recorded(
    spark: Any, redis: Server, service: Callable[[], dict[str, Any]], tmp_path: Path
) -> None:
    sent = service()
    with pytest.raises(SystemExit) as ended:
        main(["drain", "redis", redis.url, "drained", "--out", str(tmp_path / "taken"), "--yes"])
    assert ended.value.code == 0
    registry = load.registry(example_folder())
    by_queue = {
        queue: {identity: data for identity, (name, _, data) in sent.items() if name == queue}
        for queue in ("handled", "drained")
    }

    taken = ingest(spark, registry, tmp_path / "taken", tmp_path / "lake")
    assert (taken.accepted, taken.quarantined, taken.duplicates) == (len(by_queue["drained"]), 1, 0)
    assert rows(tmp_path / "lake") == by_queue["drained"]

    received = ingest(spark, registry, tmp_path / "received", tmp_path / "lake")
    count = len(by_queue["handled"])
    assert (received.accepted, received.quarantined, received.duplicates) == (count, 0, count)

    again = ingest(spark, registry, tmp_path / "sent", tmp_path / "lake")
    assert (again.accepted, again.quarantined, again.duplicates) == (0, 0, len(sent))
    assert rows(tmp_path / "lake") == {identity: data for identity, (_, _, data) in sent.items()}
