"""Batches that fail at each commit and are repeated: nothing lost, nothing twice, the same verdicts."""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from babelreg.errors import UsageError
from babelreg.model import Registry
from babelreg.spark.platform.formats.table_names import DIGESTS, QUARANTINE, table_name
from babelreg.spark.platform.formats.table_set import TableSet
from babelreg.spark.platform.tables import Tables

sys.path.insert(0, str(Path(__file__).parents[3] / "lake" / "shared"))
from lakehouse import WRITERS, Lakehouse, envelope

pytestmark = [pytest.mark.spark, pytest.mark.servers, pytest.mark.usefixtures("written")]

PAID, SENT = "urn:babel:shop:paid", "urn:babel:shop:sent"
TABLES = {PAID: "shop_paid__rows", SENT: "shop_sent__rows"}
SCHEMA = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}, "own": {"x-spark-type": "variant"}}}  # fmt: skip
COMMITS = 6
"""The log, the digests, two tables, the quarantine, the counts."""
DAY = 86_400_000


class Interrupted(Exception):
    """A failure that a test puts between two commits."""


@pytest.fixture(scope="module")
def registry(make_registry: Callable[..., Registry]) -> Registry:
    return make_registry({PAID: SCHEMA, SENT: SCHEMA})


def batch_of(number: int) -> list[bytes | None]:
    """New messages of two URNs and two days, repeats within the batch and of the one before, conflicts, refused ones."""
    at = 1_780_000_000_000 + number % 2 * DAY
    before = 1_780_000_000_000 + (number - 1) % 2 * DAY
    return [
        envelope(PAID, f"paid-{number}", {"n": number}, at),
        envelope(PAID, f"paid-{number}", {"n": number}, at, attempts=3),
        envelope(PAID, f"paid-{number}", {"n": -1}, at),
        envelope(SENT, f"sent-{number}", {"n": number, "own": {"a": [1]}}, at),
        envelope(PAID, f"paid-{number - 1}", {"n": number - 1}, before),
        envelope(SENT, f"sent-{number - 1}", {"n": -2}, before),
        envelope(SENT, f"late-{number}", {"n": "text"}, at),
        envelope(SENT, f"late-{number - 1}", {"n": 0}, before),
        None,
    ]


def frame(spark: Any, bodies: list[bytes | None]) -> Any:
    rows = [(body, "topic", number) for number, body in enumerate(bodies)]
    return spark.createDataFrame(rows, "value binary, topic string, offset long").repartition(2)


INTERNAL_SOUNDING = [
    "n",
    "first",
    "earlier",
    "content",
    "day",
    "key",
    "message",
    "digest",
    "table",
    "outcome",
    "x",
    "size",
]


@pytest.mark.parametrize("to, written", WRITERS, indirect=["written"])
def test_columns_of_the_position_may_have_any_name_that_no_table_has(
    to: str, written: str, registry: Registry, new_place: Callable[[str], Lakehouse]
) -> None:
    place, names = new_place(to), ["source_file", *INTERNAL_SOUNDING]
    rows = [(body, "a.jsonl", *[number] * len(INTERNAL_SOUNDING)) for number, body in enumerate(batch_of(0))]
    types = ", ".join(f"{name} long" for name in INTERNAL_SOUNDING)
    batch = place.spark.createDataFrame(rows, f"value binary, source_file string, {types}")
    tables = Tables(registry, place.to, place.at, position=names)
    for number in range(2):
        counts = tables.write(batch, application="odd", batch=number)
    assert (counts.accepted, counts.duplicates + counts.quarantined) == (0, 8)
    stored = [*place.read(table_name(PAID)), *place.read(table_name(SENT)), *place.read(QUARANTINE)]
    assert {len({row[name] for name in INTERNAL_SOUNDING}) for row in stored} == {1}
    assert {row["n"] for row in stored} == {0, *range(2, 8)}, "the second message repeats the first"


@pytest.mark.parametrize(
    "to, written",
    [
        pytest.param("delta", "directly", id="directly-delta"),
        pytest.param("iceberg", "by Spark", id="by Spark-iceberg", marks=pytest.mark.long),
    ],
    indirect=["written"],
)
def test_workers_that_cannot_run_are_reported_in_one_line_and_the_batch_can_be_repeated(
    to: str, registry: Registry, new_place: Callable[[str], Lakehouse], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = new_place(to)
    (tmp_path / "pyarrow").mkdir()
    (tmp_path / "pyarrow" / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'pyarrow'\")\n")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    tables, batch = tables_at(place, registry), frame(place.spark, batch_of(0))
    with monkeypatch.context() as patched:
        patched.setattr(place.spark.sparkContext, "pythonExec", str(python))
        with pytest.raises(UsageError) as told:
            tables.write(batch, application="model", batch=0)
    assert told.value.message == "a worker's Python has no pyarrow"
    assert tables.write(batch, application="model", batch=0).accepted > 0


def tables_at(place: Lakehouse, registry: Registry, **options: Any) -> Tables:
    return Tables(registry, place.to, place.at, position=["topic", "offset"], **options)


def fail_at(monkeypatch: pytest.MonkeyPatch, point: int) -> None:
    """Fail before (even) or after (odd) one of the commits of a batch."""
    append, lock, seen = TableSet.append, threading.Lock(), [0]

    def interrupted(self: TableSet, *args: Any) -> None:
        with lock:
            number, seen[0] = seen[0], seen[0] + 1
        if number == point // 2 and point % 2 == 0:
            raise Interrupted
        append(self, *args)
        if number == point // 2:
            raise Interrupted

    monkeypatch.setattr(TableSet, "append", interrupted)


POINTS = (1, 6, 2 * COMMITS - 1)
"""After the log, before a second table, at the end; all others in the long form."""
BY_SPARK = (3, 2 * COMMITS - 1)
"""After the digests, which are Spark's in both ways, and at the end: a repeated batch finds each commit before those."""


@pytest.mark.parametrize("to", ["delta", "iceberg"])
def test_a_batch_that_fails_at_any_commit_is_written_once_when_it_is_repeated(
    to: str, written: str, registry: Registry, new_place: Callable[[str], Lakehouse]
) -> None:
    place = new_place(to)
    few = POINTS if written == "directly" else BY_SPARK
    points = range(2 * COMMITS) if "BABELREG_TEST_KILLS" in os.environ else few
    run_model(place, registry, points)
    check_model(place, len(points))
    if written == "directly":
        check_jobs(place, registry, len(points))


def check_jobs(place: Lakehouse, registry: Registry, number: int) -> None:
    """A batch into tables that exist runs few jobs: the driver reads and writes the logs of the tables itself."""
    context = place.spark.sparkContext
    context.setJobGroup("counted", "a batch of the model")
    tables_at(place, registry).write(frame(place.spark, batch_of(number)), application="model", batch=number)
    jobs = context.statusTracker().getJobIdsForGroup("counted")
    context.setLocalProperty("spark.jobGroup.id", None)
    assert 3 <= len(jobs) <= 12, "28 if Spark reads the logs, and searches for repeated messages twice"


@pytest.mark.long
@pytest.mark.parametrize("to, written", WRITERS, indirect=["written"])
def test_ids_that_another_application_stores_at_the_same_time_are_in_the_tables_as_the_counts_say(
    to: str, registry: Registry, new_place: Callable[[str], Lakehouse]
) -> None:
    place, append, ahead = new_place(to), TableSet.append, []
    common = [envelope(PAID, "both", {"n": 1}), envelope(PAID, "own", {"n": 2}), envelope(PAID, "own", {"n": 2})]

    def overtaken(self: TableSet, rows: Any, name: str, key: Any) -> None:
        if name == DIGESTS and not ahead:
            ahead.append(name)
            tables_at(place, registry).write(frame(place.spark, common[:1]), application="other", batch=0)
        append(self, rows, name, key)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TableSet, "append", overtaken)
        counts = tables_at(place, registry).write(frame(place.spark, common), application="model", batch=0)
    assert (counts.accepted, counts.duplicates) == (2, 1)
    rows = Counter(row["message_id"] for row in place.read(TABLES[PAID]))
    assert rows == {"both": 2, "own": 1}, "both searched before the other one stored its ids"


def run_model(place: Lakehouse, registry: Registry, points: Sequence[int]) -> None:
    """Write a batch for each of ``points``, which fails there and is repeated by another object."""
    for number, point in enumerate(points):
        batch = frame(place.spark, batch_of(number))
        first, second = tables_at(place, registry), tables_at(place, registry)
        with pytest.MonkeyPatch.context() as patched:
            fail_at(patched, point)
            with pytest.raises(Interrupted):
                first.write(batch, application="model", batch=number)
        counts = second.write(batch, application="model", batch=number)
        assert counts.repeated == (point == 2 * COMMITS - 1)  # that one failed after all commits


def check_model(place: Lakehouse, batches: int) -> None:
    """Compare all tables with what the batches should have left."""
    rows = {urn: place.read(name) for urn, name in TABLES.items()}
    assert Counter(row["message_id"] for row in rows[PAID]) == Counter(f"paid-{n}" for n in range(-1, batches))
    sent = [*(f"late-{n}" for n in range(-1, batches - 1)), *(f"sent-{n}" for n in range(-1, batches))]
    assert Counter(row["message_id"] for row in rows[SENT]) == Counter(sent)
    assert {row["data"]["own"] for row in rows[SENT]} == {None, '{"a":[1]}'}
    assert {row["data_json"] for row in rows[PAID]} == {f'{{"n":{n}}}' for n in range(-1, batches)}
    refused = Counter((row["batch"], row["reason"], row["offset"]) for row in place.read("babelreg__quarantine"))
    conflicts = [(n, "id_conflict", offset) for n in range(batches) for offset in (2, 5) if (n, offset) != (0, 5)]
    assert refused == Counter([*conflicts, *((n, "not_an_integer", 6) for n in range(batches))])
    assert batch_of(0)[2] in {row["body"] for row in place.read("babelreg__quarantine")}
    outcomes: Counter[str] = Counter()
    for row in place.read("babelreg__counts"):
        outcomes[row["outcome"]] += row["messages"]
    assert outcomes == {
        "accepted": len(rows[PAID]) + len(rows[SENT]),
        "duplicate": 2 * batches - 1,
        "quarantined": sum(refused.values()),
        "empty": batches,
    }
    assert sum(outcomes.values()) == 9 * batches
