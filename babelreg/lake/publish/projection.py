"""Catching up: bring the tables of a format to the newest batch of the lake.

A run publishes at a time (``projections.locked``); writers of the lake are not held up, and no file that a batch named
goes while a projection stands. A table says at which batch it stands, in the same transaction as its files. So a run
that was stopped anywhere is repeated, and a table that is lost or not made yet gets all current files. A table that
fails does not hold up the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

from babelreg.errors import BabelregError
from babelreg.lake.publish.sink import Position, Sink, diverged, foreign
from babelreg.lake.publish.table_changes import BatchHistory, TableChange, fingerprint, folder_of, snapshot
from babelreg.lake.storage import projections
from babelreg.lake.storage.log import manifest, replay
from babelreg.lake.storage.log.lake_state import LakeState
from babelreg.lake.storage.output_folder import QUARANTINE
from babelreg.lake.storage.projections import Projection
from babelreg.plural import counted

Result = TypeVar("Result")

_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class TableCommits:
    """Commits to one table: their number, the ``rows`` of ``added`` files, and the number of ``removed`` files."""

    place: str
    commits: int = 0
    added: int = 0
    removed: int = 0
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Caught:
    """Result for one format: the ``tables`` that got commits, and why those in ``failed`` did not, by table.

    ``behind`` is the number of batches that some table has not followed.
    """

    batch: int
    behind: int
    tables: Mapping[str, TableCommits] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)


def outstanding(
    lake: Path, lake_id: str | None, sink: Sink, state: LakeState, tables: Iterable[str]
) -> tuple[dict[str, tuple[TableChange, ...]], dict[str, str]]:
    """Return the changes that ``tables`` have not followed yet, and why it is unknown for others. Writes nothing."""
    positions, failed = _each(tables, partial(_position, lake_id, sink, state))
    at = cache(partial(_fingerprint, lake))
    behind = {table: position for table, position in positions.items() if _may_lack(state, table, position)}
    numbers = [position.number for position in behind.values() if position is not None and position.number]
    later = manifest.batches(lake, min(numbers)) if numbers else ()
    history = BatchHistory(lake, [batch for batch in later if batch.number <= state.number])
    todo: dict[str, tuple[TableChange, ...]] = {}
    for table, position in positions.items():
        if position is not None and position.number and position.fingerprint != at(position.number):
            failed[table] = str(
                diverged(sink.context.lake, sink.place(table), f"is at batch {position.number} of a different history")
            )
        elif table not in behind:
            continue
        elif position is None or not position.number:
            first = snapshot(state, table, at(state.number))
            todo[table] = (first,) if first.added else ()
        else:
            todo[table] = history.changes(table, position.number)
    return {table: commits for table, commits in todo.items() if commits}, failed


def catch_up(
    lake: Path, lake_id: str, sink: Sink, name: str, *, complete: bool, progress: Callable[[str], None]
) -> Caught:
    """Bring the tables of the format ``name`` to the newest batch of ``lake``. Requires the lock of projections.

    ``complete`` asks every table where it stands, and compares its files with those of the lake; otherwise only tables
    with newer files are looked at. Raises InputError for a lake that cannot be read.
    """
    state = replay.read(lake)
    record = projections.read(lake)[name]
    tables = _tables(state) if complete else _newer(state, record.published)
    todo, failed = outstanding(lake, lake_id, sink, state, tables)
    if todo:
        progress(f"publishing {counted(len(todo), 'table')} to {name}")
    done, broken = _each(todo, lambda table: _commit(sink, table, todo[table]))
    failed |= broken
    if complete:
        _, differing = _each((table for table in tables if table not in failed), partial(_compare, sink, state))
        failed |= differing
    if not failed:
        record = _released(sink, state, record.marked(state.number, time.time()))
        projections.write(lake, {**projections.read(lake), name: record})
    return Caught(state.number, state.number - record.published, done, failed)


def _tables(state: LakeState) -> list[str]:
    return [*state.tables, QUARANTINE]


def _newer(state: LakeState, published: int) -> list[str]:
    """Return the tables that may have changed after batch ``published``, without asking them."""
    if published >= state.number:
        return []
    tables = [table for table, files in state.tables.items() if _newest(files) > published]
    return [*tables, QUARANTINE]


def _newest(files: Sequence[str]) -> int:
    """Return the newest batch of ``files``, such as ``tables/orders/created/batch=000007/part-00000.parquet``."""
    return max((int(name.rsplit("/", 2)[1].removeprefix("batch=")) for name in files), default=0)


def _may_lack(state: LakeState, table: str, position: Position | None) -> bool:
    """Return whether batches after ``position`` may concern ``table``.

    Every batch that changes the table of a URN adds files to it. A redrive may only take files from the quarantine.
    """
    if position is None:
        return True
    return position.number < (state.number if table == QUARANTINE else _newest(state.tables.get(table, ())))


def _fingerprint(lake: Path, number: int) -> int:
    return fingerprint(manifest.find_batch(lake, number))


def _position(lake_id: str | None, sink: Sink, state: LakeState, table: str) -> Position | None:
    """Return the position of ``table``. Raises InputError for a table that does not follow this lake."""
    position = sink.last(table)
    if position is None:
        return None
    if position.lake != lake_id:
        raise foreign(sink.context.lake, sink.place(table), f"follows another lake, {position.lake}")
    if position.number > state.number:
        raise diverged(
            sink.context.lake, sink.place(table), f"is at batch {position.number}, the lake at {state.number}"
        )
    return position


def _commit(sink: Sink, table: str, commits: Sequence[TableChange]) -> TableCommits:
    total = TableCommits(sink.place(table))
    for change in commits:
        rows = sink.commit(table, change)
        total = replace(
            total,
            commits=total.commits + 1,
            added=total.added + len(change.added),
            removed=total.removed + len(change.removed),
            rows=total.rows + rows,
        )
    return total


def _compare(sink: Sink, state: LakeState, table: str) -> None:
    """Raise InputError where ``table`` has other files than the lake has of it."""
    current = frozenset(state.quarantine if table == QUARANTINE else state.tables[table])
    named = sink.files(table)
    if extra := sorted(named - current):
        raise diverged(
            sink.context.lake, sink.place(table), f"has {extra[0]}, which the lake does not have in {folder_of(table)}"
        )
    if lost := sorted(current - named):
        raise diverged(sink.context.lake, sink.place(table), f"does not have {lost[0]}")


def _released(sink: Sink, state: LakeState, record: Projection) -> Projection:
    """Return ``record`` with the replaced files released that no version of a table names any more."""
    now = time.time()
    number = record.releasable(now)
    due = [files for files in state.replaced if record.released < files.number <= number]
    if not due:
        return replace(record, released=max(record.released, number))
    prefixes = {"/".join(name.split("/")[:-2]) for files in due for name in files.files}
    tables = [table for table in _tables(state) if folder_of(table) in prefixes]
    before = datetime.fromtimestamp(now - record.keep_seconds, UTC)
    return replace(record, released=max(record.released, sink.expire(tables, number, before)))


def _each(tables: Iterable[str], work: Callable[[str], Result]) -> tuple[dict[str, Result], dict[str, str]]:
    """Return the result of ``work`` for each table, several at a time, and the errors of those that failed."""

    results: dict[str, Result] = {}
    failed: dict[str, str] = {}
    names = list(tables)
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        futures = [threads.submit(work, name) for name in names]
        for name, future in zip(names, futures, strict=True):
            try:
                results[name] = future.result()
            except BabelregError as err:
                failed[name] = str(err)
            except Exception as err:  # of libraries that share no base class; the other tables go on
                failed[name] = f"{type(err).__name__}: {err}"
    return results, failed
