"""The SQL of ledgers in database servers: a table of marks, and one of counted deliveries.

Values are always parameters, in the style ``format`` (PEP 249); only the checked name of the table is part of the text.
"""

from __future__ import annotations

import re
import time
from typing import NamedTuple

from babelreg.errors import UsageError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,50}(\.[A-Za-z_][A-Za-z0-9_]{0,50})?\Z")


class Statements(NamedTuple):
    """The statements of one dialect for one table.

    ``exists`` fails where a table is missing; ``create`` creates both. ``look_up`` takes two consumers and a key;
    ``mark`` a consumer, a key, a digest and a time, and affects one row unless there is a mark. ``count_up`` takes a
    consumer, a key and twice a time, ``counted`` a consumer and a key. ``prune`` and ``prune_counts`` take a consumer
    and a time. Times are in Unix milliseconds.
    """

    exists: tuple[str, ...]
    create: tuple[str, ...]
    look_up: str
    mark: str
    count_up: str
    counted: str
    prune: str
    prune_counts: str


def postgres(table: str) -> Statements:
    """Return the statements for PostgreSQL 9.5 or newer. Raises UsageError for a ``table`` that is not a plain name."""
    return _statements(
        table,
        text="TEXT",
        mark="INSERT INTO {marks} VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
        count="INSERT INTO {counts} VALUES (%s, %s, 1, %s) ON CONFLICT (consumer, message_id) "
        "DO UPDATE SET deliveries = {counts}.deliveries + 1, counted_at = %s",
    )


def mysql(table: str) -> Statements:
    """Return the statements for MySQL 5.7 or MariaDB 10 or newer. Raises UsageError as :func:`postgres`."""
    return _statements(
        table,
        text="VARCHAR(191) CHARACTER SET ascii COLLATE ascii_bin",
        end=" ENGINE=InnoDB",
        mark="INSERT IGNORE INTO {marks} VALUES (%s, %s, %s, %s)",
        count="INSERT INTO {counts} VALUES (%s, %s, 1, %s) "
        "ON DUPLICATE KEY UPDATE deliveries = deliveries + 1, counted_at = %s",
    )


def now_ms() -> int:
    """Return the time of a mark."""
    return int(time.time() * 1000)


def _statements(table: str, *, text: str, mark: str, count: str, end: str = "") -> Statements:
    if not _NAME.match(table):
        raise UsageError(f"{table[:80]!r} cannot be the name of a table", fix='use letters, digits and "_"')
    names = {"marks": table, "counts": f"{table}_deliveries"}
    columns = f"consumer {text} NOT NULL, message_id {text} NOT NULL"
    key = f"PRIMARY KEY (consumer, message_id)){end}"
    where = "WHERE consumer = %s AND"
    return Statements(
        exists=tuple(f"SELECT 1 FROM {name} LIMIT 0" for name in names.values()),
        create=(
            f"CREATE TABLE IF NOT EXISTS {names['marks']} ({columns}, content {text} NOT NULL, "
            f"handled_at BIGINT NOT NULL, {key}",
            f"CREATE TABLE IF NOT EXISTS {names['counts']} ({columns}, deliveries INTEGER NOT NULL, "
            f"counted_at BIGINT NOT NULL, {key}",
        ),
        look_up=f"SELECT content FROM {names['marks']} WHERE consumer IN (%s, %s) AND message_id = %s "
        "ORDER BY consumer DESC",
        mark=mark.format(**names),
        count_up=count.format(**names),
        counted=f"SELECT deliveries FROM {names['counts']} {where} message_id = %s",
        prune=f"DELETE FROM {names['marks']} {where} handled_at < %s",
        prune_counts=f"DELETE FROM {names['counts']} {where} counted_at < %s",
    )
