"""Results of runs as HTML for notebooks: tables of counts, every text escaped, no scripts and no assets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from babelreg.report import printable

if TYPE_CHECKING:
    from babelreg.lake.ingest.compaction import Compacted
    from babelreg.lake.ingest.summary import Summary

__all__ = ["compacted_page", "summary_page"]

_MOST = 20
_Row = Sequence[str | int]


def summary_page(summary: Summary) -> str:
    """Return the summary of an ingest or a redrive."""
    if summary.held:
        title = "Batch held: nothing was committed"
    elif summary.batch is None:
        title = "Nothing new" if not summary.read else "Nothing changed"
    else:
        title = f"Batch {summary.batch}"
    counts = (
        f"{summary.read:,} read = {summary.accepted:,} accepted + {summary.duplicates:,} duplicates + "
        f"{summary.quarantined:,} quarantined"
    )
    urns = sorted({*summary.tables, *summary.repeated}, key=lambda urn: (-summary.tables.get(urn, 0), urn))
    rows = [(urn, summary.tables.get(urn, 0), summary.repeated.get(urn, 0)) for urn in urns]
    above = [(one.scope, f"{one.share} of {one.read:,}", one.limit) for one in summary.exceeded]
    return _page(
        title,
        [f"{summary.input} to {summary.output}", counts],
        _table(("table", "rows", "duplicates"), rows),
        _table(("refused for", "messages"), list(summary.reasons.items())),
        _table(("above a threshold", "quarantined", "limit"), above),
        _table(("copies that were not read again",), [(name,) for name in summary.copies]),
        _table(("set aside", "why"), list(summary.set_aside.items())),
    )


def compacted_page(result: Compacted) -> str:
    """Return the result of a compaction."""
    title = "Nothing to compact" if result.batch is None else f"Batch {result.batch}: compacted"
    return _page(title, [result.output], _table(("table", "files", "rows"), _compacted_rows(result.files, result.rows)))


def _compacted_rows(files: Mapping[str, int], rows: Mapping[str, int]) -> list[_Row]:
    return [(urn, count, rows.get(urn, 0)) for urn, count in files.items()]


def _page(title: str, lines: Iterable[str], *tables: str) -> str:
    said = "".join(f"<br>{_text(line)}" for line in lines)
    return f"<div><p><strong>{_text(title)}</strong>{said}</p>{''.join(tables)}</div>"


def _table(heads: Sequence[str], rows: Sequence[_Row]) -> str:
    """Return a table of the first rows, and the number of the others; nothing for no rows."""
    if not rows:
        return ""
    head = "".join(f"<th>{_text(text)}</th>" for text in heads)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:_MOST])
    hidden = len(rows) - _MOST
    more = f'<tr><td colspan="{len(heads)}">and {hidden:,} more</td></tr>' if hidden > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}{more}</tbody></table>"


def _cell(value: str | int) -> str:
    return f"<td>{value:,}</td>" if isinstance(value, int) else f"<td>{_text(value)}</td>"


def _text(text: str) -> str:
    return escape(printable(text))
