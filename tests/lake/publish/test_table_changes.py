"""Batches of a lake as commits of a table: one for all, but compactions stand alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from steps import growth

from babelreg.lake.publish.table_changes import BatchHistory, fingerprint
from babelreg.lake.storage.log.batch_record import Batch, Consumed, TableRows

URN, OTHER = "urn:babel:orders:created", "urn:babel:orders:created.v2"
FOLDERS = {URN: "tables/orders/created", OTHER: "tables/orders/created.v2", "quarantine": "quarantine"}


def batch(number: int, kind: Any, adds: tuple[str, ...], replaces: tuple[str, ...] = (), read: int = 1) -> Batch:
    """A batch that adds a file to the tables ``adds`` and replaces files such as ``quarantine/1``."""
    files = {table: TableRows(1, (file(table, number),)) for table in adds}
    replaced = tuple(file(*_split(name)) for name in replaces)
    consumed = (Consumed("in", "a", 0, read, 0, True, "digest"),)
    refused = files.pop("quarantine", TableRows(0, ()))
    return Batch(number, kind, read, read, 0, 0, False, consumed, files, refused, {}, {}, (), replaced)


def file(table: str, number: int) -> str:
    return f"{FOLDERS[table]}/batch={number:06d}/part-00000.parquet"


def _split(name: str) -> tuple[str, int]:
    table, _, number = name.rpartition("/")
    return table, int(number)


@pytest.mark.parametrize(
    "table, batches, told",
    [
        pytest.param(URN, [batch(2, "ingest", (OTHER,))], [], id="another table"),
        pytest.param(
            URN,
            [batch(2, "ingest", (URN,)), batch(3, "redrive", (URN, "quarantine"), ("quarantine/2",))],
            [(3, [2, 3], [], False)],
            id="batches are one commit",
        ),
        pytest.param(
            URN,
            [batch(2, "ingest", (URN,)), batch(3, "compaction", (URN,), (f"{URN}/1", f"{URN}/2"))],
            [(2, [2], [], False), (3, [3], [1, 2], True)],
            id="a compaction is one of its own",
        ),
        pytest.param(
            URN,
            [batch(2, "compaction", (OTHER,), (f"{OTHER}/1",)), batch(3, "ingest", (URN,))],
            [(3, [3], [], False)],
            id="one of another table changes nothing",
        ),
        pytest.param(
            "quarantine",
            [batch(2, "ingest", ("quarantine",)), batch(3, "redrive", (URN,), ("quarantine/1", "quarantine/2"))],
            [(3, [], [1], False)],
            id="what came and went is not named",
        ),
        pytest.param(
            "quarantine", [batch(2, "ingest", ("quarantine",)), batch(3, "redrive", (URN,), ("quarantine/2",))], [],
            id="and leaves nothing to do",
        ),
    ],
)  # fmt: skip
def test_batches_become_commits(table: str, batches: list[Batch], told: list[Any], tmp_path: Path) -> None:
    for one in batches:
        for name in [*one.quarantine.files, *(name for rows in one.tables.values() for name in rows.files)]:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).touch()
    assert [
        (one.number, [_number(name) for name in one.added], [_number(name) for name in one.removed], one.rewrites)
        for one in BatchHistory(tmp_path, batches).changes(table)
    ] == told


def _number(name: str) -> int:
    return int(name.split("=")[1][:6])


def test_where_a_replaced_file_is_gone_the_commit_names_current_files_alone(tmp_path: Path) -> None:
    batches = [batch(2, "ingest", (URN,)), batch(3, "compaction", (URN,), (f"{URN}/1", f"{URN}/2"))]
    current = tmp_path / file(URN, 3)
    current.parent.mkdir(parents=True)
    current.touch()
    (change,) = BatchHistory(tmp_path, batches).changes(URN)
    assert (change.number, change.added, change.removed) == (3, (file(URN, 3),), (file(URN, 1),))
    assert not change.rewrites, "its rows are not those of the removed files"


def test_a_fingerprint_tells_batches_of_one_number_apart() -> None:
    seen = {
        fingerprint(batch(2, "ingest", (URN,))),
        fingerprint(batch(2, "ingest", (URN,), read=2)),
        fingerprint(batch(2, "redrive", (URN,))),
        fingerprint(batch(2, "ingest", (OTHER,))),
        fingerprint(batch(3, "ingest", (URN,))),
    }
    assert len(seen) == 5
    assert all(0 <= value < 2**63 for value in seen)
    assert fingerprint(batch(2, "ingest", (URN,))) in seen


def test_the_cost_of_a_table_does_not_grow_with_the_other_tables(tmp_path: Path) -> None:
    def work(count: int) -> None:
        urns = [f"urn:babel:orders:n{number}" for number in range(count)]
        files = {urn: TableRows(1, (f"tables/orders/n{n}/batch=000002/part-0.parquet",)) for n, urn in enumerate(urns)}
        replaced = tuple(f"tables/orders/n{number}/batch=000001/part-0.parquet" for number in range(count))
        many = replace(batch(2, "compaction", ()), tables=files, replaced=replaced)
        history = BatchHistory(tmp_path, [many])
        assert all(history.changes(urn) for urn in urns)

    assert growth(work, 20, 200) < 1.5
