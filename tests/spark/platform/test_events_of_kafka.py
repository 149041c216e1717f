"""CloudEvents and plain JSON in a real Kafka: the same rows by a stream, a frame, ``Tables`` and a recording."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import kafka_server
import pytest
from server import Server

from babelreg.errors import UsageError
from babelreg.lake import all_files, files
from babelreg.lake import ingest as ingest_locally
from babelreg.model import Registry
from babelreg.spark import Tables, quarantine, typed, validate_frame
from babelreg.spark.platform.formats.table_names import QUARANTINE, table_name
from babelreg.spark.platform.stream import stream, stream_settings
from babelreg.wire.length_frames import frame as length_frame
from babelreg.wire.message_headers import pack

sys.path.insert(0, str(Path(__file__).parents[2] / "lake" / "shared"))
from lakehouse import WRITERS, Lakehouse

pytestmark = [pytest.mark.spark, pytest.mark.servers]

URN, CLICKED = "urn:babel:shop:placed", "urn:babel:web:clicked"
POSITION = ["topic", "partition", "offset"]
SCHEMA = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
WIRES = "version: 1\nwires: {cloudevents: {}, json: {urn: {topic: true}}}\n"

Record = tuple[list[tuple[str, bytes]], bytes]
Row = tuple[Any, ...]


@pytest.fixture(scope="module")
def registry(make_registry: Callable[..., Registry]) -> Registry:
    return make_registry({URN: SCHEMA, CLICKED: SCHEMA}, WIRES)


def _event(n: Any, *, binary: bool, data: Any = None, **attributes: Any) -> Record:
    """An event as the project's own package sends it."""
    kafka = pytest.importorskip("cloudevents.core.bindings.kafka", reason="the extra dev installs cloudevents")
    from cloudevents.core.v1.event import CloudEvent

    time = datetime.fromtimestamp(1_794_650_400, UTC)
    made = CloudEvent(
        {"type": URN, "source": "/shop", "id": f"{n}", "time": time, "tenant": "eu", **attributes}, data or {"n": n}
    )
    written = (kafka.to_binary_event if binary else kafka.to_structured_event)(made)
    return list(written.headers.items()), written.value


def _records() -> list[Record]:
    batch = json.dumps([json.loads(_event(n, binary=False)[1]) for n in (20, 21)]).encode()
    return [
        *(_event(n, binary=bool(n % 2)) for n in range(10)),
        _event(3, binary=False),  # the same event in the other mode
        _event("a", binary=True),
        _event("b", binary=False),
        _event("c", binary=True, type="com.example.gone", data={"n": 0}),
        _event("d", binary=True, datacontenttype="text/plain", data="d"),
        ([("content-type", b"application/cloudevents-batch+json")], batch),
        ([], b'{"n": 1}'),
        ([("x", b"1")], b"{}"),
    ]


ACCEPTED = sorted((URN, json.dumps({"n": n}, separators=(",", ":"))) for n in range(10))
REFUSED = sorted(
    ["unknown_urn", "binary_data", "batch_not_divided", "missing_attribute", "missing_attribute"]
    + ["not_an_integer"] * 2
)  # fmt: skip


def _content(rows: Iterable[Any], refused: Iterable[Any]) -> tuple[list[Row], list[Row]]:
    return (
        sorted((row["urn"], row["message_id"], row["data_json"], row["created_at"].timestamp()) for row in rows),
        sorted((row["reason"], bytes(row["body"])) for row in refused),
    )


@pytest.fixture(scope="module")
def topic(kafka: Server) -> str:
    kafka_server.create(kafka, "events", 1)
    for headers, body in _records():
        kafka_server.produce(kafka, "events", [body], headers=headers or None)
    return "events"


@pytest.fixture(scope="module")
def recorded(engine: Any, registry: Registry, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Row], list[Row]]:
    """The content of a lake of the same records, in a file of frames with headers."""
    import pyarrow.parquet as pq

    home = tmp_path_factory.mktemp("recorded")
    content = b"".join(length_frame(pack(headers, body) if headers else body) for headers, body in _records())
    (home / "events.frames").write_bytes(content)
    ingest_locally(engine, registry, home / "events.frames", home / "lake", wire="cloudevents")
    rows = [row for path in all_files(home / "lake").get(URN, ()) for row in pq.ParquetFile(path).read().to_pylist()]
    refused = [row for path in files(home / "lake", "quarantine") for row in pq.ParquetFile(path).read().to_pylist()]
    return _content(rows, refused)


def _frame(spark: Any, kafka: Server, topic: str) -> Any:
    options = {"kafka.bootstrap.servers": kafka_server.address(kafka), "subscribe": topic, "includeHeaders": "true"}
    return spark.read.format("kafka").options(**options).load()


def test_a_recording_of_headers_has_the_events(recorded: tuple[list[Row], list[Row]]) -> None:
    rows, refused = recorded
    assert [(urn, data) for urn, _, data, _ in sorted(rows, key=lambda row: row[2])] == ACCEPTED
    assert sorted(reason for reason, _ in refused) == REFUSED


@pytest.mark.parametrize("to", ["delta", pytest.param("iceberg", marks=pytest.mark.long)])
def test_a_stream_of_events_has_the_rows_of_their_recording(
    table_session: Any, kafka: Server, topic: str, registry: Registry, recorded: Any, tmp_path: Path, to: str
) -> None:
    own = _session(table_session, to, tmp_path / "tables")
    at = str(tmp_path / "tables")
    stream(
        own,
        registry,
        stream_settings(f"{kafka.url}/{topic}", to, at, str(tmp_path / "checkpoint"), wire="cloudevents"),
    )
    place = Lakehouse.in_folder(to, Path(at) if to == "delta" else Path(at) / "messages")
    rows, refused = _content(place.read(table_name(URN)), place.read(QUARANTINE))
    assert rows == recorded[0]
    assert sorted(reason for reason, _ in refused) == REFUSED


def _session(session: Any, to: str, at: Path) -> Any:
    from babelreg.spark.platform.stream import spark_jars

    own = session.newSession()
    own.conf.set("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    for key, value in spark_jars.settings(to, at.as_uri()).items() if to == "iceberg" else ():
        own.conf.set(key, value)
    return own


def test_a_frame_of_events_has_the_rows_of_their_recording(
    table_session: Any, kafka: Server, topic: str, registry: Registry, recorded: Any
) -> None:
    validated = validate_frame(
        _frame(table_session, kafka, topic),
        registry,
        position=POSITION,
        wire="cloudevents",
        received_at="timestamp",
        headers="headers",
        deduplicate=True,
    )
    rows, refused = _content(typed(validated, URN, registry).collect(), quarantine(validated).collect())
    assert rows == recorded[0]
    assert sorted(reason for reason, _ in refused) == REFUSED
    whole = [body for reason, body in refused if reason == "unknown_urn"]
    assert whole
    assert all(b"ce_type" in body for body in whole)


@pytest.mark.parametrize("to, written", WRITERS, indirect=["written"])
def test_tables_of_events_have_the_rows_of_their_recording(
    new_place: Callable[[str], Lakehouse],
    written: str,
    kafka: Server,
    topic: str,
    registry: Registry,
    recorded: Any,
    to: str,
) -> None:
    place = new_place(to)
    tables = Tables(
        registry, to, place.at, position=POSITION, wire="cloudevents", received_at="timestamp", headers="headers"
    )
    tables.write(_frame(place.spark, kafka, topic), application="job", batch=0)
    rows, refused = _content(place.read(table_name(URN)), place.read(QUARANTINE))
    assert rows == recorded[0]
    assert sorted(reason for reason, _ in refused) == REFUSED


@pytest.mark.parametrize(
    "wire, headers, message",
    [
        pytest.param("cloudevents", "nothing", "has no column 'nothing'", id="no such column"),
        pytest.param("cloudevents", "key", "the column 'key' is binary", id="a column of another type"),
        pytest.param("flowlayer", "headers", "messages of flowlayer are read without headers", id="a wire without any"),
    ],
)
def test_headers_that_cannot_be_read_are_refused(
    table_session: Any, kafka: Server, topic: str, registry: Registry, wire: str, headers: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        validate_frame(
            _frame(table_session, kafka, topic), registry, wire=wire, received_at="timestamp", headers=headers
        )


@pytest.fixture(scope="module")
def clicks(kafka: Server) -> str:
    """A topic whose name is the message's; two messages are equal."""
    from urllib.parse import quote

    name = CLICKED.replace(":", ".")
    assert quote(name) == name
    kafka_server.create(kafka, name, 1)
    kafka_server.produce(kafka, name, [b'{"n": 1}', b'{"n": 1}', b'{"n": "x"}', b"{"])
    return name


def test_plain_json_takes_its_name_from_the_topic(
    table_session: Any, kafka: Server, clicks: str, make_registry: Callable[..., Registry], tmp_path: Path
) -> None:
    registry = _aliased(clicks)
    validated = validate_frame(
        _frame(table_session, kafka, clicks), registry, position=POSITION, wire="json", received_at="timestamp"
    )
    rows = typed(validated, CLICKED, registry).collect()
    assert [row["data_json"] for row in rows] == ['{"n":1}', '{"n":1}']  # two equal clicks are two
    assert {row["sent_urn"] for row in rows} == {clicks}
    assert len({row["message_id"] for row in rows}) == 2
    assert sorted(row["reason"] for row in quarantine(validated).collect()) == ["invalid_json", "not_an_integer"]

    own, at = _session(table_session, "delta", tmp_path), str(tmp_path / "tables")
    settings = stream_settings(f"{kafka.url}/{clicks}", "delta", at, str(tmp_path / "checkpoint"), wire="json")
    stream(own, registry, settings)
    place = Lakehouse.in_folder("delta", Path(at))
    streamed = place.read(table_name(CLICKED))
    assert [row["data_json"] for row in streamed] == ['{"n":1}', '{"n":1}']
    assert len({row["message_id"] for row in streamed}) == 2
    reasons = sorted(row["reason"] for row in place.read(QUARANTINE))
    assert reasons == ["invalid_json", "not_an_integer"]


def _aliased(name: str) -> Registry:
    from babelreg import load
    from babelreg.load.files.tree import Memory

    message = {"urn": CLICKED, "aliases": [name], "kind": "event", "data": SCHEMA}
    tree = {
        "babelreg.yaml": WIRES.encode(),
        "web/_context.yaml": b"owner: team\n",
        "web/clicked.yaml": json.dumps(message).encode(),
    }
    return load.from_tree(Memory(tree))
