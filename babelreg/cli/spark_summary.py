"""A summary of a run of ``babelreg spark`` in words, with a line to paste."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babelreg.spark import Compacted, Summary

__all__ = ["compacted", "ingested", "redriven"]


def ingested(summary: Summary) -> list[str]:
    """The lines about a run of ``ingest``."""
    if summary.batch is None:
        return [f"nothing new: {_files(summary.known_files)} in {summary.input}, ingested before"]
    skipped = f", {_files(summary.known_files)} ingested before" if summary.known_files else ""
    return [
        f"read {summary.read:,} messages from {_files(summary.files)} in {summary.input} "
        f"(batch {summary.batch}{skipped})",
        *_counts(summary),
        *_next(summary),
    ]


def redriven(summary: Summary) -> list[str]:
    """The lines about a run of ``redrive``."""
    if not summary.read:
        return [f"nothing to judge again in {summary.input}"]
    if summary.batch is None:
        return [f"judged {summary.read:,} messages again: every one stays in {summary.input} for the same reason"]
    return [f"judged {summary.read:,} messages of {summary.input} again (batch {summary.batch})", *_counts(summary)]


def compacted(found: Compacted) -> list[str]:
    """The lines about a run of ``compact``."""
    if found.batch is None:
        return [f"nothing to compact in {found.output}: no table has so many small files"]
    wide = max(map(len, found.files))
    lines = [f"  {urn:<{wide}}  {count:>7,}  {found.rows[urn]:>10,}" for urn, count in found.files.items()]
    return [f"compacted {found.output} (batch {found.batch})", "", f"  {'table':<{wide}}    files        rows", *lines]


def _counts(summary: Summary) -> list[str]:
    return [
        f"  = {summary.accepted:,} accepted + {summary.duplicates:,} duplicates + {summary.quarantined:,} quarantined",
        *_tables(summary),
        *_reasons(summary),
    ]


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _tables(summary: Summary) -> list[str]:
    urns = sorted({*summary.tables, *summary.repeated})
    if not urns:
        return []
    wide = max(map(len, urns))
    lines = ["", f"  {'table':<{wide}}  {'rows':>10}  {'duplicates':>10}  folder"]
    for urn in urns:
        rows, repeated = summary.tables.get(urn, 0), summary.repeated.get(urn, 0)
        lines.append(f"  {urn:<{wide}}  {rows:>10,}  {repeated:>10,}  {summary.folders.get(urn, '')}".rstrip())
    return lines


def _reasons(summary: Summary) -> list[str]:
    if not summary.reasons:
        return []
    wide = max(map(len, summary.reasons))
    return ["", f"  quarantine: {summary.quarantine}"] + [
        f"    {reason:<{wide}}  {count:>8,}" for reason, count in summary.reasons.items()
    ]


def _next(summary: Summary) -> list[str]:
    """A line to paste: at what was refused, else at the largest table."""
    if summary.quarantine:
        what, table = "to see what was refused, and why", "quarantine"
        columns = "[['source_file', 'source_offset', 'reason', 'pointer', 'detail']]"
    elif summary.folders:
        what, columns = "to look at a table", ""
        table = max(summary.tables, key=lambda urn: summary.tables[urn])
    else:
        return []
    read = f"pandas.read_parquet(files({summary.output!r}, {table!r}))"
    program = f"import pandas; from babelreg.spark import files; print({read}{columns}.head(20).to_string())"
    return ["", f"next, {what}:", f"  {_python()} -c {_quoted(program)}"]


def _python() -> str:
    found = shutil.which("python")
    return "python" if found and Path(found).samefile(sys.executable) else shlex.quote(sys.executable)


def _quoted(program: str) -> str:
    """In double quotes, which reads better, where nothing in the program means anything to a shell within them."""
    return shlex.quote(program) if any(sign in program for sign in '"$`\\!') else f'"{program}"'
