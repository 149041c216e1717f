"""A lake that is written in this process, and its projections as other engines read them."""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from babelreg.lake.engine.local_engine import LocalEngine
from babelreg.lake.publish.table_changes import folder_of
from babelreg.lake.storage.log import replay
from babelreg.model import Registry
from babelreg.spark import Summary, compact, ingest, publish, redrive

sys.path.insert(0, str(Path(__file__).parent))
import once

QUARANTINE = "quarantine"
FORMATS = ("delta", "iceberg")


def nested(*columns: str) -> dict[str, Any]:
    """Schemas whose columns come at the top, in a struct and in a list of structs."""
    more = {name: {"type": "integer"} for name in columns}
    inner = {"type": "object", "properties": {"x": {"type": "integer"}, **more}}
    found = once.schemas(-5, *columns)
    for schema in found.values():
        schema["properties"] |= {"inner": inner, "list": {"type": "array", "items": inner}}
    return found


@dataclass(frozen=True)
class Lake:
    """A lake with its input, and registries that have more and more columns."""

    home: Path
    session: LocalEngine
    registries: tuple[Registry, ...]

    @property
    def out(self) -> Path:
        return self.home / "out"

    def at(self, home: Path) -> Lake:
        return Lake(home, self.session, self.registries)

    def add(self) -> None:
        """One more file."""
        (self.home / "in").mkdir(parents=True, exist_ok=True)
        number = len(list((self.home / "in").iterdir()))
        (self.home / "in" / f"{number:05d}").write_bytes(once.lines(random.Random(number), number))

    def ingest(self, registry: int = 0, publish: Collection[str] | None = None) -> Summary:
        """Ingest one more file."""
        self.add()
        return ingest(self.session, self.registries[registry], self.home / "in", self.out, publish=publish)

    def run(self, step: str, registry: int = 0) -> None:
        """Ingest one more file (``i``), redrive (``r``), compact (``c``) or publish (``p``)."""
        if step == "i":
            self.ingest(registry)
        elif step == "r":
            redrive(self.session, self.registries[max(1, registry)], self.out)
        elif step == "c":
            compact(self.session, self.out, at_least=2)
        else:
            result = publish(self.out, FORMATS)
            assert not result.failed, result

    def runs(self, *steps: str) -> Lake:
        """Each of the ``steps``, such as ``i`` and ``i2`` with registry 2."""
        for step in steps:
            self.run(step[0], int(step[1:] or 0))
        return self


def lake(home: Path, monkeypatch: pytest.MonkeyPatch, make_registry: Any) -> Lake:
    """A new lake, which compacts and folds every few batches."""
    monkeypatch.setattr(importlib.import_module("babelreg.lake.ingest.compaction"), "FANOUT", 3)
    monkeypatch.setattr(replay, "EVERY", 3)
    wanted = (once.schemas(1), once.schemas(-5), nested(), nested("a", "b"))
    return Lake(home, LocalEngine(2), tuple(map(make_registry, wanted)))


def tables(out: Path) -> list[str]:
    state = replay.read(out)
    return [*state.tables, *([QUARANTINE] if state.quarantine else [])]


def sorted_rows(rows: list[dict[str, Any]]) -> list[Any]:
    """Rows in one order, with members that are null left out: an older file does not have them.

    So are empty lists: pyiceberg reads a null list of structs as one (iceberg-python #3833), and no row here has one.
    """
    return sorted((_filled(row) for row in rows), key=repr)


def _filled(value: Any) -> Any:
    if isinstance(value, dict):
        members = {name: _filled(member) for name, member in sorted(value.items())}
        return {name: member for name, member in members.items() if member is not None and member != []}
    if isinstance(value, list):
        return [_filled(member) for member in value]
    return value.isoformat() if hasattr(value, "isoformat") else value


def expected(out: Path, table: str) -> list[Any]:
    """The rows of a table, read file by file."""
    state = replay.read(out)
    names = state.quarantine if table == QUARANTINE else state.tables[table]
    return sorted_rows([row for name in names for row in pq.ParquetFile(out / name).read().to_pylist()])


def delta(out: Path, table: str) -> pa.Table:
    from deltalake import DeltaTable

    return DeltaTable((out / folder_of(table)).as_uri()).to_pyarrow_table()


def iceberg_table(out: Path, table: str) -> Any:
    from babelreg.lake.publish.iceberg import IcebergSink
    from babelreg.lake.publish.sink import SinkContext
    from babelreg.lake.storage import lake_id, projections

    record = projections.read(out)["iceberg"]
    return IcebergSink(SinkContext(out.resolve(), lake_id.ensure(out), 0, record.settings)).table(table)


def iceberg(out: Path, table: str) -> pa.Table:
    return iceberg_table(out, table).scan().to_arrow()


READ = {"delta": delta, "iceberg": iceberg}


def check(out: Path, formats: Any = FORMATS) -> int:
    """Every table of every format has the rows of the lake; how many those are."""
    total = 0
    for table in tables(out):
        wanted = expected(out, table)
        for name in formats:
            assert sorted_rows(READ[name](out, table).to_pylist()) == wanted, (name, table)
        total += len(wanted)
    return total
