"""Refused messages: the quarantine read in streams, counted by reason, URN and pointer.

A few narrow columns of the parquet files are read. The result is a bounded number of groups, the newest row of each,
and exact counts by reason and by URN. Pointers and sentences are those that may be shown (``redacted_message``), so
``/data/lines/17/qty`` and ``/data/lines/3/qty`` are one group.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from babelreg.contract.reason import REASONS
from babelreg.lake.report.advice import meaning
from babelreg.lake.report.redaction import shown_urn
from babelreg.lake.storage.parquet import opened, unreadable
from babelreg.model.service import LANGUAGES
from babelreg.wire.formats.table import FORMATS

if TYPE_CHECKING:
    import pyarrow as pa

_COLUMNS = ["batch_read", "reason", "pointer", "detail", "urn", "lang"]
_BATCH_ROWS = 32_768
_MOST_GROUPS = 5_000
_CODE = re.compile(r"[a-z][a-z0-9_]{0,47}\Z")
_AT = re.compile(r"\b(line|column|byte) [0-9]+")
_MOST_PLACES = 100_000
_LONGEST_PLACE = 200
"""As ``contract.violation`` puts a place before its sentence."""

_NAMELESS = frozenset(
    ["unknown_urn", "additional_not_allowed", "wrong_property_name", "item_not_allowed", "not_checkable"]
)
"""Reasons whose sentence may quote the message."""


class RowPosition(NamedTuple):
    """Position of a row: file and row number. Later ones are newer."""

    batch: int
    file: int
    row: int
    pointer: str


class RefusalKey(NamedTuple):
    """Key of a group of rows. ``urn`` and ``pointer`` are redacted."""

    reason: str
    urn: str | None
    pointer: str
    detail: str


@dataclass
class RefusalGroup:
    """Rows of the quarantine that are alike. ``urn`` is as the message says it, None where it says none.

    ``first`` and ``last`` are the batches that read such messages.
    """

    key: RefusalKey
    urn: str | None
    newest: RowPosition
    rows: int = 0
    first: int = 0
    last: int = 0
    langs: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Refusals:
    """``groups``, the largest first; ``rows`` of all, ``ungrouped`` of those that made too many groups."""

    groups: tuple[RefusalGroup, ...]
    rows: int
    ungrouped: int
    reasons: Counter[str]
    urns: Counter[str]


def scan(
    files: Sequence[Path],
    urns: frozenset[str],
    pointer_shown: Callable[[str | None, str], str],
    batch: int | None = None,
) -> Refusals:
    """Return the rows of the quarantine ``files``, the oldest first; with ``batch`` only those that this batch read.

    ``urns`` are those to be counted one by one. Raises InputError for a file that cannot be read.
    """
    tally = _GroupTally(urns, pointer_shown)
    for number in reversed(range(len(files))):  # the newest first: should groups run out, these are wanted
        for start, rows in _batches(files[number], batch):
            tally.add(number, start, rows)
    groups = sorted(
        tally.groups.values(), key=lambda group: (-group.rows, group.key.reason, group.key.urn or "", group.key)
    )
    return Refusals(tuple(groups), sum(tally.reasons.values()), tally.ungrouped, tally.reasons, tally.urns)


class _GroupTally:
    def __init__(self, urns: frozenset[str], pointer_shown: Callable[[str | None, str], str]) -> None:
        self._wanted = urns
        self._shown = lru_cache(20_000)(self._key)
        self._left = _MOST_PLACES
        self._pointer = pointer_shown
        self.groups: dict[RefusalKey, RefusalGroup] = {}
        self.ungrouped = 0
        self.reasons: Counter[str] = Counter()
        self.urns: Counter[str] = Counter()

    def add(self, file: int, start: int, rows: list[dict[str, Any]]) -> None:
        """Count ``rows``, each of which represents ``count`` equal rows, in the ``file`` after ``start`` others."""
        for row in rows:
            count, urn = row["row_count"], row["urn"]
            key = self._shown(row["reason"], urn, row["pointer"] or "", row["detail"] or "")
            self.reasons[key.reason] += count
            if urn in self._wanted:
                self.urns[urn] += count
            batch = row["batch_read"] or 0
            spot = RowPosition(batch, file, start + row["row_max"], row["pointer"] or "")
            group = self.groups.get(key)
            if group is None:
                if len(self.groups) >= _MOST_GROUPS:
                    self.ungrouped += count
                    continue
                group = self.groups[key] = RefusalGroup(key, urn, spot, first=batch, last=batch)
            group.rows += count
            group.first, group.last = min(group.first, batch), max(group.last, batch)
            group.langs[row["lang"] if row["lang"] in LANGUAGES else "other" if row["lang"] else "unknown"] += count
            group.newest = max(group.newest, spot)

    def _key(self, reason: str, urn: str | None, pointer: str, detail: str) -> RefusalKey:
        reason = reason if _CODE.match(reason or "") else "unknown"
        self._left -= 1
        if self._left < 0:  # each place costs a walk through a schema
            return RefusalKey(reason, None if urn is None else shown_urn(urn), "", meaning(reason))
        return RefusalKey(
            reason,
            None if urn is None else shown_urn(urn),
            self._pointer(urn, pointer),
            shown_sentence(reason, pointer, detail),
        )


def shown_sentence(reason: str, pointer: str, detail: str) -> str:
    """Return the sentence of the refusal without its pointer and without content of the message."""
    contract_reason = REASONS.get(reason)
    if contract_reason is not None and (reason in _NAMELESS or contract_reason.kind == "send"):
        return contract_reason.meaning
    if contract_reason is not None and contract_reason.kind != "data":
        return _AT.sub(r"\1 …", detail)
    if contract_reason is None:
        foreign = any(reason in wire.CODES for wire in FORMATS.values())
        return _AT.sub(r"\1 …", detail) if foreign or reason.startswith("unstorable_") else ""
    place = pointer.removeprefix("/data")
    place = place if len(place) <= _LONGEST_PLACE else f"{place[: _LONGEST_PLACE - 3]}..."
    rest = detail.removeprefix(place or "data").strip()
    return f"it {rest}" if detail.startswith(place or "data") and rest else contract_reason.meaning


def _batches(path: Path, batch: int | None) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Yield the rows of a file in batches, equal rows counted together: the number of rows before it, and its rows."""
    from pyarrow import ArrowException

    try:
        # Texts are kept as numbers into a dictionary: a text may be long, and stand in every row.
        with opened(path, read_dictionary=_COLUMNS[1:]) as file:
            start = 0
            for part in file.iter_batches(_BATCH_ROWS, columns=_COLUMNS, use_threads=False):
                yield start, _counted(part, batch)
                start += part.num_rows
    except (OSError, ArrowException, KeyError) as err:
        raise unreadable(path, err) from err


def _counted(part: pa.RecordBatch, batch: int | None) -> list[dict[str, Any]]:
    import pyarrow as pa
    from pyarrow import compute

    rows = pa.Table.from_batches([part]).append_column("row", pa.array(range(part.num_rows), pa.int64()))
    if batch is not None:
        rows = rows.filter(compute.equal(rows["batch_read"], batch))
    counted: list[dict[str, Any]] = (
        rows.group_by(_COLUMNS, use_threads=False).aggregate([("row", "count"), ("row", "max")]).to_pylist()
    )
    return counted
