"""Results of runs as HTML for notebooks: tables of counts, every text escaped, no scripts and no assets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from babelreg.report import printable

_MOST = 20
_Row = Sequence[str | int]


def page(title: str, lines: Iterable[str], *tables: str) -> str:
    """Return a page of ``lines`` and of ``tables``, which are those of :func:`table`."""
    said = "".join(f"<br>{_text(line)}" for line in lines)
    return f"<div><p><strong>{_text(title)}</strong>{said}</p>{''.join(tables)}</div>"


def table(heads: Sequence[str], rows: Sequence[_Row]) -> str:
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
