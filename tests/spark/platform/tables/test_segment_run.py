"""Tables written directly are those that Spark writes: rows, columns, properties, partitions, counts."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from babelreg.model import Registry
from babelreg.spark.platform.formats.direct_tables import DirectTables
from babelreg.spark.platform.formats.table_names import table_name
from babelreg.spark.platform.tables import Tables

sys.path.insert(0, str(Path(__file__).parents[3] / "lake" / "shared"))
import foreign
from lakehouse import Lakehouse, envelope

pytestmark = [pytest.mark.spark, pytest.mark.servers]

PAID, SENT, BARE = "urn:babel:shop:paid", "urn:babel:shop:sent", "urn:babel:shop:bare"
TABLES = ("shop_paid__rows", "shop_sent__rows", "shop_bare__rows")
OWN = ("babelreg__quarantine", "babelreg__counts", "babelreg__batches", "babelreg__digests")
TEXT, INTEGER = {"type": "string"}, {"type": "integer"}
LINES = {"type": "array", "items": {"type": "object", "properties": {"sku": TEXT, "qty": INTEGER}}}
FIRST = {
    PAID: {
        "n": INTEGER,
        "at": {**TEXT, "format": "date-time"},
        "lines": LINES,
        "sum": {**TEXT, "x-spark-type": "decimal(12,2)"},
        "any": {"x-spark-type": "variant"},
        "tags": {"type": "object", "additionalProperties": INTEGER},
        "email": {**TEXT, "x-gdpr-sensitive": "email", "description": "Where the bill goes."},
    },
    SENT: {"two words": TEXT, "n": INTEGER},
}
SECOND = {PAID: {**FIRST[PAID], "added": {"type": "object", "properties": {"a": TEXT}}}, SENT: {"n": INTEGER}}
DAY = 86_400_000


def data(number: int) -> dict[str, Any]:
    return {
        "n": number,
        "at": f"2026-05-{number % 28 + 1:02d}T01:02:03.123456Z",
        "lines": [{"sku": f"s{number}", "qty": number}, {}],
        "sum": "12.50",
        "any": {"k": [1, None, 2.5]},
        "tags": {"x": number},
        "email": "a@example.com",
        "added": {"a": "b"},
    }


def messages(batch: int) -> list[tuple[Any, ...]]:
    """Messages of all kinds, with repeats of the batch before and within the batch."""
    at = 1_780_000_000_000
    bodies: list[bytes | None] = [None, b"{", envelope("urn:babel:no:body", "u", {})]
    bodies += [envelope(PAID, f"{batch}-{n}", data(n), at + n % 3 * DAY) for n in range(40)]
    bodies += [envelope(SENT, f"{batch}-s{n}", {"two words": "w", "n": n}) for n in range(5)]
    bodies += [envelope(BARE, f"{batch}-b", {"free": 1}), envelope(PAID, "bad", {"n": "text"})]
    bodies += [envelope(PAID, f"{batch - 1}-{n}", data(n), at + n % 3 * DAY) for n in range(3)]
    bodies += [
        envelope(PAID, f"{batch}-0", data(1), at),
        envelope(PAID, f"{batch}-early", data(0), -62_135_596_800_000 + DAY),
    ]
    bodies += [envelope(PAID, f"{batch}-odd", {"n": 10**30})]
    headers = [[("bq-attempts", b"5")], [("bq-schema-version", b"2")], None]
    return [(body, "topic", n, 1.5, headers[n % 3] if n % 7 == 0 else None) for n, body in enumerate(bodies)]


def write(place: Lakehouse, registries: list[Registry], **options: Any) -> list[Any]:
    schema = "value binary, topic string, offset long, weight double, headers array<struct<key: string, value: binary>>"
    counts = []
    for batch, registry in enumerate(registries):
        tables = Tables(
            registry, "delta", place.at, position=["topic", "offset", "weight", "headers"], headers="headers", **options
        )
        frame = place.spark.createDataFrame(messages(batch), schema).repartition(2, "offset")
        counts.append(tables.write(frame, application="job", batch=batch).rows)
    return counts


def contents(place: Lakehouse, name: str) -> tuple[Any, ...]:
    """What a reader sees of a table: Spark gives its columns and rows, the log all else."""
    frame, stored = place.spark.table(place.table(name)), DeltaTable(place.folder / name)
    rows = [row.asDict(recursive=True) for row in frame.collect()]
    metadata, protocol = stored.metadata(), stored.protocol()
    properties = {**metadata.configuration}
    properties.pop("delta.columnMapping.maxColumnId", None)
    if name == "babelreg__batches":
        rows = [{**row, "versions": sorted(json.loads(row["versions"]))} for row in rows]
    return (
        frame.schema.jsonValue(),
        properties,
        protocol.min_reader_version,
        protocol.min_writer_version,
        sorted(protocol.reader_features or ()),
        sorted(protocol.writer_features or ()),
        metadata.partition_columns,
        metadata.description,
        sorted(map(repr, rows)),
    )


@pytest.mark.parametrize(
    "keep_duplicates, versions",
    [
        pytest.param(False, (FIRST, SECOND), id="duplicates removed"),
        pytest.param(False, (FIRST, SECOND, SECOND), id="a third batch", marks=pytest.mark.long),
        pytest.param(True, (FIRST, SECOND), id="duplicates kept", marks=pytest.mark.long),
    ],
)
def test_both_ways_of_writing_make_equal_tables(
    keep_duplicates: bool,
    versions: Sequence[dict[str, Any]],
    make_registry: Callable[..., Registry],
    table_session: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    registries = [
        make_registry(
            {urn: {"type": "object", "properties": columns} for urn, columns in {**version, BARE: {}}.items()}
        )
        for version in versions
    ]
    names = [*TABLES, *(OWN[:3] if keep_duplicates else OWN)]
    direct, by_spark = (
        Lakehouse(table_session, "delta", table_session.warehouse, f"{way}_{keep_duplicates}_{len(versions)}")
        for way in ("direct", "spark")
    )
    commits: list[str] = []
    commit = DirectTables.commit
    monkeypatch.setattr(
        DirectTables, "commit", lambda self, name, *rest: (commits.append(name), commit(self, name, *rest))[1]
    )
    counts = write(direct, registries, keep_duplicates=keep_duplicates)
    assert {*names} - {*commits} <= {"babelreg__digests", "shop_sent__rows"}  # Spark adds up to these
    assert "shop_paid__rows" in commits
    monkeypatch.setattr(DirectTables, "of", lambda *_: None)
    assert write(by_spark, registries, keep_duplicates=keep_duplicates) == counts
    for name in names:
        assert contents(direct, name) == contents(by_spark, name), name
    lines = [line for path in (direct.folder / TABLES[0] / "_delta_log").glob("*.json") for line in path.open()]
    files = [action["add"] for action in map(json.loads, lines) if "add" in action]
    assert files
    assert all({"numRecords", "minValues", "nullCount"} <= json.loads(file["stats"]).keys() for file in files)


def write_foreign(place: Lakehouse, registry: Registry, wires: Sequence[str]) -> Counter[tuple[str, str | None]]:
    """Write a batch of each of ``wires``; return the messages by outcome and reason."""
    schema = "value binary, topic string, offset long, received timestamp"
    received = datetime.fromtimestamp(foreign.TIME / 1000, UTC)
    counts: Counter[tuple[str, str | None]] = Counter()
    for batch, wire in enumerate(wires):
        tables = Tables(registry, "delta", place.at, position=["topic", "offset"], wire=wire, received_at="received")
        rows = [(body, wire, number, received) for number, body in enumerate(foreign.bodies(wire))]
        frame = place.spark.createDataFrame(rows, schema).repartition(2, "offset")
        for _, outcome, reason, messages in tables.write(frame, application="job", batch=batch).rows:
            counts[outcome, reason] += messages
    return counts


@pytest.mark.parametrize(
    "wires, urns, numbers",
    [
        pytest.param(["strata"], [foreign.CREATE], (2, 1, 1), id="a wire with credentials and duplicates"),
        pytest.param(
            ["flowlayer", "phpmq", "strata"], [*foreign.schemas()], (4 + 5 + 2, 1, 3), id="all", marks=pytest.mark.long
        ),
    ],
)
def test_both_ways_of_writing_make_equal_tables_of_foreign_messages(
    wires: Sequence[str],
    urns: Sequence[str],
    numbers: tuple[int, int, int],
    make_registry: Callable[..., Registry],
    new_place: Callable[[str], Lakehouse],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    registry = make_registry(foreign.schemas(), foreign.WIRES)
    direct, by_spark = new_place("delta"), new_place("delta")
    commits: list[str] = []
    commit = DirectTables.commit
    monkeypatch.setattr(
        DirectTables, "commit", lambda self, name, *rest: (commits.append(name), commit(self, name, *rest))[1]
    )
    counts = write_foreign(direct, registry, wires)
    written = {table_name(urn) for urn in urns}
    assert written | {"babelreg__quarantine"} <= {*commits}
    outcomes = ("accepted", None), ("duplicate", None), ("quarantined", "unmapped_name")
    assert tuple(counts[outcome] for outcome in outcomes) == numbers
    monkeypatch.setattr(DirectTables, "of", lambda *_: None)
    assert write_foreign(by_spark, registry, wires) == counts
    for name in (*written, *OWN):
        assert contents(direct, name) == contents(by_spark, name), name
    bodies = [row["body"] for row in direct.read("babelreg__quarantine")]
    assert len(bodies) == sum(count for (outcome, _), count in counts.items() if outcome == "quarantined")
    assert not [body for body in bodies if any(secret in body for secret in foreign.SECRETS)]
