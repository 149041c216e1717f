"""The log of batches: which have begun and which are finished.

A batch is written to ``babelreg__batches`` before any table, with the digest of its messages and of the schemas that it
is validated against, and to ``babelreg__counts`` after all tables. From these follows what a batch number means when it
comes again:

============================  ==========================================================================
the last begun, unfinished    it is repeated, against the schemas it began with, if its messages are the same
the last begun, finished      it is skipped, if its messages are the same
any earlier number            refused: a checkpoint was reset, and numbers count from 0 again
a later number                refused while the last one is unfinished, otherwise new
============================  ==========================================================================

The messages of a number are compared, because tables that have a number skip it: with other messages, these would be
lost. The schemas are kept, because a message that was refused by one registry and is accepted by the next one could
otherwise end in two tables or in none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from babelreg.errors import InputError, UsageError
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.spark.platform.formats.batch_key import BatchKey
from babelreg.spark.platform.formats.driver_rows import DriverRows
from babelreg.spark.platform.formats.row_query import RowQuery
from babelreg.spark.platform.formats.table_names import BATCHES, COUNTS
from babelreg.spark.platform.formats.table_set import TableSet
from babelreg.typed_json import typed

_ROW = "application string, batch long, messages long, digest long, registry string, schemas string, versions string"

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class _Schemas:
    """What the column ``schemas`` says. Of a mapping, the pairs of a foreign name and its URN."""

    schemas: dict[str, Any]
    strict: tuple[str, ...]
    mappings: dict[str, tuple[tuple[tuple[str, ...], str], ...]]
    aliases: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BegunBatch:
    """A batch as it began: the number and the digest of its messages, the digest of its schemas, versions by table.

    ``repeated`` is True where it began in an earlier try, ``finished`` where that try wrote all tables.
    """

    key: BatchKey
    messages: int
    digest: int
    registry: str
    versions: Mapping[str, str | None]
    repeated: bool = False
    finished: bool = False


class BatchLog:
    """The log at one place.

    A log ``is_new`` for the batch whose run created it: nothing of its application can be there, so it is not read.
    """

    def __init__(self, tables: TableSet, *, is_new: bool = False) -> None:
        self._tables, self._is_new = tables, is_new

    def earlier(self, key: BatchKey) -> BegunBatch | None:
        """Return the batch ``key`` if it has begun before, None if it is new.

        Raises UsageError for a number that cannot be written.
        """
        last = None if self._is_new else self._last(key.application)
        if last is None or (key.batch > last.key.batch and last.finished):
            return None
        if key.batch == last.key.batch:
            return last
        if key.batch > last.key.batch:
            raise UsageError(
                f"{last.key} was begun but not finished, and this is batch {key.batch}",
                fix=f"write batch {last.key.batch} again, with the same messages",
            )
        raise UsageError(
            f"{key} comes after batch {last.key.batch}: its checkpoint was removed, or the numbers do not ascend",
            fix="give it a new application name; ids that were written before are found by duplicate removal",
        )

    def _last(self, application: str) -> BegunBatch | None:
        mine = RowQuery({"application": application})
        row = self._tables.last(BATCHES, mine, ("batch", "messages", "digest", "registry", "versions"), "batch")
        if row is None:
            return None
        of_batch = RowQuery({"application": application, "batch": row["batch"]})
        finished = bool(self._tables.select(COUNTS, of_batch, ["batch"]))
        key = BatchKey(application, row["batch"])
        versions = _read(dict[str, str | None], row["versions"], "versions")
        return BegunBatch(key, row["messages"], row["digest"], row["registry"], versions, True, finished)

    def begun(self, batch: BegunBatch, schemas: str | None) -> DriverRows:
        """Return the row of a batch that begins. ``schemas`` is None where the log has those of this digest."""
        row = (
            batch.key.application,
            batch.key.batch,
            batch.messages,
            batch.digest,
            batch.registry,
            schemas,
            json.dumps(dict(batch.versions), sort_keys=True),
        )
        return DriverRows(_ROW, [row])

    def schemas(self, registry: str) -> str | None:
        """Return the schemas with a digest, as :func:`packed` wrote them; None if the log does not have them."""
        rows = self._tables.select(BATCHES, RowQuery({"registry": registry}, "schemas"), ["schemas"])
        return rows[0]["schemas"] if rows else None


def check_place(tables: TableSet, urns: Collection[str]) -> set[str]:
    """Raise UsageError if another registry was used at a place; return the digests of the schemas that it has.

    ``urns`` are those that this registry knows. They are never removed from one: a retired message stays.
    """
    rows = tables.select(BATCHES, RowQuery({}, "schemas"), ["registry", "schemas"])
    logged = {urn for row in rows for urn in _read(_Schemas, row["schemas"], "schemas").schemas}
    removed = next((urn for urn in sorted(logged - set(urns)) if tables.holds_table(urn)), None)
    if removed is not None:
        raise UsageError(
            f"there is a table of {removed}, which the registry does not declare: it was written with another registry",
            fix="use that registry, or another schema or folder",
        )
    return {row["registry"] for row in rows}


def check_same(begun: BegunBatch, messages: int, digest: int) -> None:
    """Raise InputError if a repeated batch has other messages than when it began."""
    if (messages, digest) != (begun.messages, begun.digest):
        raise InputError(
            f"{begun.key} began with {begun.messages} messages, but now has {messages} or different ones",
            fix="repeat it with the same messages; put new messages into a new batch",
        )


def packed(spec: ValidationSpec) -> str:
    """Return the schemas of ``spec`` and what else it is made of, as JSON."""
    mappings = {wire: list(urns.items()) for wire, urns in spec.mappings.items()}
    parts: dict[str, Any] = {"schemas": spec.schemas, "strict": spec.strict, "mappings": mappings}
    if spec.aliases:
        parts["aliases"] = spec.aliases
    return json.dumps(parts)


def unpacked(text: str) -> ValidationSpec:
    """Return the spec that was :func:`packed`. Raises InputError for other text."""
    parts = _read(_Schemas, text, "schemas")
    mappings = {wire: dict(pairs) for wire, pairs in parts.mappings.items()}
    return ValidationSpec.of(parts.schemas, parts.strict, digests=False, mappings=mappings, aliases=parts.aliases)


def _read(kind: Callable[..., Value], text: str | None, column: str) -> Value:
    try:
        return typed(kind, json.loads(text or ""))
    except (ValueError, RecursionError) as err:
        raise InputError(
            f"a row of babelreg__batches was changed: its '{column}' cannot be read: {err}",
            fix="restore the previous version of the table: a batch is repeated with the schemas that it began with",
        ) from err
