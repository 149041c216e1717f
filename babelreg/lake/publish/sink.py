"""Interface of a table format that follows a lake, and the errors that both formats share."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from babelreg.errors import InputError, UsageError
from babelreg.lake.publish.table_changes import TableChange


class Position(NamedTuple):
    """The batch that a table stands at, as the table itself says: the lake's id, the number and its fingerprint.

    The number is 0 for a table that was made and got no files yet.
    """

    lake: str
    number: int
    fingerprint: int


class SinkContext(NamedTuple):
    """The lake that a sink follows. ``settings`` and ``keep_seconds`` are those of its ``projections.Projection``."""

    lake: Path
    lake_id: str
    keep_seconds: int
    settings: Mapping[str, str]


class Sink(Protocol):
    """The tables of one format. A table is a URN or ``quarantine``; paths of files are relative to the lake.

    Different tables are used in different threads at once. Errors are those of the library, or BabelregError.
    """

    context: SinkContext

    def last(self, table: str) -> Position | None:
        """Return the position of ``table``; None where there is none."""

    def commit(self, table: str, change: TableChange) -> int:
        """Commit ``change`` in one transaction with its number; return the number of rows in the added files.

        The caller has compared numbers, and makes sure that nobody else commits at the time.
        """

    def files(self, table: str) -> frozenset[str]:
        """Return the files of ``table`` now; a file that is not in the lake is an absolute address."""

    def expire(self, tables: Iterable[str], number: int, before: datetime) -> int:
        """Drop versions of ``tables`` that were replaced ``before``; return the batch whose replaced files may go.

        That is ``number``, or less where a version that stays names such files.
        """

    def place(self, table: str) -> str:
        """Return the name by which readers find ``table``."""

    def clear(self, tables: Iterable[str]) -> None:
        """Remove ``tables``, and no file of rows, to build them anew."""


def missing_package(name: str, extra: str) -> UsageError:
    """Return the error for a library that is not installed."""
    return UsageError(
        f"{name} is not installed, and the lake's tables are published with it",
        fix=f"pip install 'babelreg[{extra}]', or ingest with --publish none, which leaves these tables alone",
    )


def foreign(lake: Path, place: str, whose: str) -> InputError:
    """Return the error for a table that follows another lake, or none."""
    return InputError(
        f"{place} exists, and it {whose}",
        fix=f"remove it or choose another place; `{_rebuild(lake)}` replaces it",
    )


def diverged(lake: Path, place: str, how: str) -> InputError:
    """Return the error for a table that is not what the lake made it."""
    return InputError(
        f"{place} {how}: another program changed it, or the lake was restored from a backup",
        fix=f"`{_rebuild(lake)}` rebuilds it; no rows are lost",
    )


def _rebuild(lake: Path) -> str:
    return shlex.join(["babelreg", "lake", "publish", "--lake", str(lake), "--rebuild"])
