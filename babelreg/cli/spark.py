"""``babelreg spark``: recorded messages into typed tables."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.common import open_tree, registry_option, sound

if TYPE_CHECKING:
    from babelreg.spark import Summary

__all__ = ["command"]


@click.group()
def command() -> None:
    """Turn recorded messages into typed tables."""


@command.command()
@click.option(
    "--input",
    "source",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder of message files, one raw message a line.",
)
@click.option(
    "--output",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder for tables and quarantine; new, or of an earlier run.",
)
@registry_option
@click.option("--keep-duplicates", is_flag=True, help="Store a message that was delivered twice twice.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How the summary is printed.",
)
def ingest(source: Path, output: Path, registry: Path | None, keep_duplicates: bool, style: str) -> None:
    """Type every message in DIR that was not ingested before, or keep it in quarantine with the reason.

    A message that was there before (the same meta.id, job and data) is counted as a duplicate. What is read is what
    is accepted, duplicates and quarantine together; the same command again reads only what is new.
    """
    from babelreg.cli.service import reading_root

    loaded = sound(open_tree(reading_root(registry)))
    from babelreg.spark import ingest as run
    from babelreg.spark.session import start

    with _Progress() as progress:
        summary = run(start, loaded, source, output, keep_duplicates=keep_duplicates, progress=progress.tell)
    if style == "json":
        click.echo(json.dumps(summary.as_json(), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(_text(summary)))


class _Progress:
    """One line on stderr that says what happens now; nothing unless a person is watching."""

    def __init__(self) -> None:
        self._watched = sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._show("")

    def tell(self, step: str) -> None:
        self._show(f"{step} …")

    def _show(self, text: str) -> None:
        if self._watched:
            click.echo(f"\r\x1b[K{text}", err=True, nl=False)


def _text(summary: Summary) -> list[str]:
    if summary.batch is None:
        return [f"nothing new: {_files(summary.known_files)} in {summary.input}, ingested before"]
    skipped = f", {_files(summary.known_files)} ingested before" if summary.known_files else ""
    return [
        f"read {summary.read:,} messages from {_files(summary.files)} in {summary.input} "
        f"(batch {summary.batch}{skipped})",
        f"  = {summary.accepted:,} accepted + {summary.duplicates:,} duplicates + {summary.quarantined:,} quarantined",
        *_tables(summary),
        *_reasons(summary),
        *_next(summary),
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
        what, folder = "to see what was refused, and why", summary.quarantine
        columns = "[['source_file', 'source_offset', 'reason', 'pointer', 'detail']]"
    elif summary.folders:
        what, columns = "to look at a table", ""
        folder = summary.folders[max(summary.tables, key=lambda urn: summary.tables[urn])]
    else:
        return []
    program = f"import pandas; print(pandas.read_parquet({folder!r}){columns}.head(20).to_string())"
    return ["", f"next, {what}:", f"  {_python()} -c {_quoted(program)}"]


def _python() -> str:
    found = shutil.which("python")
    return "python" if found and Path(found).samefile(sys.executable) else shlex.quote(sys.executable)


def _quoted(program: str) -> str:
    """In double quotes, which reads better, where nothing in the program means anything to a shell within them."""
    return shlex.quote(program) if any(sign in program for sign in '"$`\\!') else f'"{program}"'
