"""``babelreg lake publish``: the tables of a lake as Delta and Iceberg tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.lake.options import Duration, lake_option, summary_option
from babelreg.cli.lake.progress import Progress
from babelreg.cli.lake.publishing import TableFormats, warn
from babelreg.cli.shared.common_options import dry_run_option, examples
from babelreg.plural import counted
from babelreg.report import printable

if TYPE_CHECKING:
    from babelreg.spark import Published

_MOST = 20


@click.command(
    epilog=examples(
        "babelreg lake publish --lake lake --to delta,iceberg",
        "babelreg lake publish --lake lake",
        "babelreg lake publish --lake lake --to iceberg --catalog prod --namespace messages",
    )
)
@lake_option
@click.option(
    "--to",
    metavar="FORMATS",
    type=TableFormats(),
    default=(),
    help="delta, iceberg, or delta,iceberg. Default: those published before.",
)
@click.option(
    "--catalog",
    metavar="NAME",
    help="The catalog of the Iceberg tables, in the configuration of pyiceberg. Default: a SQLite file in the lake.",
)
@click.option("--namespace", metavar="NAME", help="The namespace of the Iceberg tables. Default: babelreg.")
@click.option(
    "--keep",
    "keep_seconds",
    metavar="DURATION",
    type=Duration(),
    help="How long old versions of the tables and their files are kept. Default: 7d.",
)
@click.option("--rebuild", is_flag=True, help="Rebuild the tables: earlier versions are lost, but no rows.")
@dry_run_option("the files that would be added to tables and removed from them")
@summary_option
@click.pass_context
def command(
    ctx: click.Context,
    lake: Path,
    to: tuple[str, ...],
    catalog: str | None,
    namespace: str | None,
    keep_seconds: int | None,
    rebuild: bool,
    dry_run: bool,
    style: str,
) -> None:
    """Publish the tables of a lake as Delta or Iceberg tables, by metadata alone.

    The tables refer to the files of the lake; no row is copied. Each records its last batch, so the command can be
    stopped and repeated at any time. Afterwards, `ingest`, `redrive` and `compact` keep the tables up to date.
    """
    if dry_run:
        _preview(lake, to, style)
        return
    with Progress() as progress:
        progress.wait("reading the lake")
        from babelreg.spark import publish

        result = publish(
            lake,
            to,
            catalog=catalog,
            namespace=namespace,
            keep_seconds=keep_seconds,
            rebuild=rebuild,
            progress=progress.tell,
        )
    if style == "json":
        click.echo(json.dumps(result.as_json(), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(map(printable, _lines(result))))
    for name, caught in result.formats.items():
        for table, why in caught.failed.items():
            warn(name, f"{table}: {why}")
    ctx.exit(1 if result.failed else 0)


def _preview(lake: Path, to: tuple[str, ...], style: str) -> None:
    """Print what would be published. Raises UsageError, InputError."""
    from babelreg.lake.publish.run import pending

    found = pending(lake, to)
    if style == "json":
        members = {
            name: {table: {"added": added, "removed": removed} for table, (added, removed) in tables.items()}
            for name, tables in found.items()
        }
        click.echo(json.dumps({"formats": members}, indent=2, ensure_ascii=False))
        return
    for name, tables in found.items():
        for table, (added, removed) in tables.items():
            less = f" and remove {removed:,}" if removed else ""
            click.echo(printable(f"{name}: would add {counted(added, 'file')}{less} to {table}"))
    if not any(found.values()):
        click.echo("nothing to publish", err=True)


def _lines(result: Published) -> list[str]:
    lines: list[str] = []
    for name, caught in result.formats.items():
        if not caught.tables:
            lines += [f"{name}: nothing new, up to batch {caught.batch}"] if not caught.failed else []
            continue
        lines += [f"{name}: published {counted(len(caught.tables), 'table')} up to batch {caught.batch}", ""]
        resolved = str(Path(result.output).resolve())
        rows = {
            each.place.replace(resolved, result.output, 1): (each.added, each.removed, each.rows)
            for each in caught.tables.values()
        }
        lines += [*_table(rows), ""]
    return lines[:-1] if lines and not lines[-1] else lines


def _table(rows: Mapping[str, tuple[int, int, int]]) -> list[str]:
    """Return a line a table, those with the most rows first, at most twenty."""
    ordered = sorted(rows.items(), key=lambda row: (-row[1][2], row[0]))
    shown, hidden = (ordered, []) if len(ordered) <= _MOST + 1 else (ordered[:_MOST], ordered[_MOST:])
    lines = [f"  {added:>9,}  {removed:>9,}  {count:>9,}  {name}" for name, (added, removed, count) in shown]
    if hidden:
        added, removed, count = (sum(numbers[at] for _, numbers in hidden) for at in range(3))
        lines.append(f"  {added:>9,}  {removed:>9,}  {count:>9,}  in {len(hidden):,} more tables")
    return [f"  {'new files':>9}  {'replaced':>9}  {'rows':>9}  table", *lines]
