"""Rows of the quarantine to look at: selected, counted, and masked as in the report.

Two passes: narrow columns of all rows, to select and count them; then the bytes of those to show. No session is needed.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from babelreg.lake.report.redacted_message import Line, MessageMasker
from babelreg.lake.report.redaction import shape, shown_id, shown_urn
from babelreg.lake.report.refusals import shown_sentence
from babelreg.lake.report.samples import rows_at
from babelreg.lake.storage import output_folder as folder
from babelreg.lake.storage.log import replay
from babelreg.lake.storage.parquet import opened, unreadable
from babelreg.model import Registry
from babelreg.model.service import LANGUAGES

_COLUMNS = ["batch_read", "source_file", "source_offset", "reason", "pointer", "detail", "urn", "lang"]
_TEXTS = ["source_file", "reason", "pointer", "detail", "urn", "lang"]
_BATCH_ROWS = 16_384
_MOST_KNOWN = 1_000


@dataclass(frozen=True, slots=True)
class QuarantineFilter:
    """Selection of rows: any of ``urns``, any of ``reasons``, read by ``batch`` from ``file``, as far as given.

    ``since`` is the first batch of which rows are selected.
    """

    urns: frozenset[str] = frozenset()
    reasons: frozenset[str] = frozenset()
    batch: int | None = None
    file: str | None = None
    since: int | None = None

    def admits(self, row: Mapping[str, Any]) -> bool:
        """Return whether ``row`` is selected."""
        return (
            (not self.urns or row["urn"] in self.urns)
            and (not self.reasons or row["reason"] in self.reasons)
            and self.batch in (None, row["batch_read"])
            and self.file in (None, row["source_file"])
            and (self.since is None or (row["batch_read"] or 0) >= self.since)
        )


@dataclass(frozen=True, slots=True)
class QuarantineRow:
    """One refused message, as masked ``lines`` or as its ``body``.

    ``offset`` is that of its first byte in ``file``, the input file that ``batch`` read.
    """

    batch: int
    file: str
    offset: int
    reason: str
    urn: str | None
    pointer: str
    detail: str
    message_id: str | None
    lang: str | None
    lines: tuple[Line, ...] = ()
    body: bytes | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the row as one JSON object: ``message`` as masked lines, or ``body`` as text or ``body_base64``."""
        names = ("batch", "file", "offset", "reason", "urn", "pointer", "detail", "message_id", "lang")
        row: dict[str, Any] = {name: getattr(self, name) for name in names}
        if self.body is None:
            return row | {"message": [indented(line) for line in self.lines]}
        try:
            return row | {"body": self.body.decode()}
        except UnicodeDecodeError:
            return row | {"body_base64": b64encode(self.body).decode()}


@dataclass(frozen=True, slots=True)
class QuarantineView:
    """``rows`` to show out of ``selected`` ones, out of ``total``. ``reasons`` and ``urns`` count the selected."""

    rows: tuple[QuarantineRow, ...]
    selected: int
    total: int
    reasons: Mapping[str, int]
    known_reasons: frozenset[str]
    known_urns: frozenset[str]


def indented(line: Line) -> str:
    """Return a line of a masked message as text."""
    name = "" if line.name is None else f'"{line.name}": '
    return f"{'  ' * line.depth}{name}{line.text}{'   <- refused' if line.refused else ''}"


def view(
    lake: Path, registry: Registry | None, wanted: QuarantineFilter, *, limit: int, raw: bool = False
) -> QuarantineView:
    """Return at most ``limit`` rows of the quarantine of ``lake``, those of the newest files first.

    ``raw`` shows messages as they are. ``registry`` says which other names the messages of ``wanted.urns`` have. Raises
    UsageError, InputError.
    """
    folder.check_written(lake)
    if registry is not None:
        wanted = replace(wanted, urns=registry.names(wanted.urns))
    files = [lake / name for name in reversed(replay.read(lake).quarantine)]
    chosen: dict[tuple[int, int], dict[str, Any]] = {}
    reasons: Counter[str] = Counter()
    present: dict[str, set[str]] = {"reason": set(), "urn": set()}
    total = 0
    for place, row in _narrow(files):
        total += 1
        _note(present, row)
        if wanted.admits(row):
            reasons[row["reason"]] += 1
            if len(chosen) < limit:
                chosen[place] = row
    bodies = dict(rows_at(files, set(chosen)))
    masker = MessageMasker(registry)
    rows = tuple(_row(row | bodies[place], masker, raw=raw) for place, row in chosen.items())
    return QuarantineView(
        rows,
        reasons.total(),
        total,
        dict(reasons.most_common()),
        *(frozenset(present[name]) for name in ("reason", "urn")),
    )


def _note(present: Mapping[str, set[str]], row: Mapping[str, Any]) -> None:
    """Note the reason and the URN for suggestions; messages may have any number of URNs."""
    for name, values in present.items():
        if row[name] and len(values) < _MOST_KNOWN:
            values.add(row[name])


def _narrow(files: Sequence[Path]) -> Iterator[tuple[tuple[int, int], dict[str, Any]]]:
    """Yield the rows of ``files`` without their bytes, each with the number of its file and of its row."""
    from pyarrow import ArrowException

    for number, path in enumerate(files):
        start = 0
        try:
            with opened(path, read_dictionary=_TEXTS) as file:
                for part in file.iter_batches(_BATCH_ROWS, columns=_COLUMNS, use_threads=False):
                    for at, row in enumerate(part.to_pylist()):
                        yield (number, start + at), row
                    start += part.num_rows
        except (OSError, ArrowException, KeyError) as err:
            raise unreadable(path, err) from err


def _row(row: Mapping[str, Any], masker: MessageMasker, *, raw: bool) -> QuarantineRow:
    urn, pointer, reason, body = row["urn"], row["pointer"] or "", row["reason"], row["body"] or b""
    position = (row["batch_read"] or 0, row["source_file"], row["source_offset"], reason)
    if raw:
        return QuarantineRow(*position, urn, pointer, row["detail"] or "", row["message_id"], row["lang"], (), body)
    lang = row["lang"]
    return QuarantineRow(
        *position,
        None if urn is None else shown_urn(urn),
        masker.pointer(urn, pointer),
        shown_sentence(reason, pointer, row["detail"] or ""),
        shown_id(row["message_id"]),
        None if lang is None else lang if lang in LANGUAGES else shape(lang),
        tuple(masker.lines(body, urn, pointer)),
    )
