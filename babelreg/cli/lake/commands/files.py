"""``babelreg lake files``: which files hold the rows of a table now, as other tools take them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click

from babelreg.cli.lake.options import lake_option
from babelreg.cli.shared.common_options import MessageUrn, examples

_SYNTAXES = ("lines", "json", "duckdb", "spark")


@click.command(
    epilog=examples(
        "babelreg lake files --lake lake", "babelreg lake files urn:babel:orders:created --lake lake --as duckdb"
    )
)
@click.argument("table", type=MessageUrn(), required=False)
@lake_option
@click.option(
    "--as",
    "syntax",
    type=click.Choice(_SYNTAXES),
    default="lines",
    show_default=True,
    help="One file per line; JSON; views for DuckDB; or SET statements for the SQL of `babelreg gen spark`.",
)
def command(table: str | None, lake: Path, syntax: str) -> None:
    """List the files with the current rows of TABLE, a URN or quarantine. Without TABLE, those of every URN.

    A table folder also holds replaced files and files of stopped runs. A listed file stays for a while after it was
    replaced (--grace of the commands that write, one hour by default), so list the files again before each query.
    """
    from babelreg.lake.storage.current_files import all_files, files

    folder = lake.absolute()
    paths_by_table = all_files(folder) if table is None else {table: files(folder, table)}
    click.echo(_WRITTEN[syntax](paths_by_table, table, folder), nl=False)


def _lines(paths_by_table: Mapping[str, Sequence[str]], table: str | None, folder: Path) -> str:
    return "".join(f"{path}\n" for paths in paths_by_table.values() for path in paths)


def _json(paths_by_table: Mapping[str, Sequence[str]], table: str | None, folder: Path) -> str:
    value = paths_by_table if table is None else paths_by_table[table]
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _duckdb(paths_by_table: Mapping[str, Sequence[str]], table: str | None, folder: Path) -> str:
    """Views, by name: a column that was added later is null before."""
    views = []
    for name, paths in paths_by_table.items():
        listed = ",\n".join("    '" + path.replace("'", "''") + "'" for path in paths)
        rows = f"SELECT * FROM read_parquet([\n{listed}\n], union_by_name = true, hive_partitioning = false)"
        views.append(f"CREATE OR REPLACE VIEW {_name(name)} AS {rows};\n")
    return "".join(views)


def _spark(paths_by_table: Mapping[str, Sequence[str]], table: str | None, folder: Path) -> str:
    """Settings, one a table: the SQL of the views takes its path from there.

    Raises UsageError for a folder whose name would be a pattern to Spark.
    """
    from babelreg.errors import UsageError

    if signs := sorted(set(str(folder)) & set("{}[]*?,^;\\\n")):
        raise UsageError(
            f"the SQL cannot refer to files below {folder}: for Spark, {' '.join(signs)} is part of a pattern",
            fix="use the views of the generated Python, or move the folder",
        )
    named = ((_name(urn), paths) for urn, paths in paths_by_table.items() if paths)
    return "".join(f"SET babelreg.{name}={_pattern(paths, folder)};\n" for name, paths in named)


def _pattern(paths: Sequence[str], folder: Path) -> str:
    """Return all paths as one Hadoop glob, escaped for a SQL literal."""
    base = f"file://{folder}/".replace("'", "\\'")
    inner = [Path(path).relative_to(folder).as_posix() for path in paths]
    return base + (inner[0] if len(inner) == 1 else "{" + ",".join(inner) + "}")


def _name(table: str) -> str:
    from babelreg.model import Urn, UrnError
    from babelreg.typemap.python.names import module_name

    try:
        return module_name(Urn.parse(table))
    except UrnError:
        return table  # quarantine


_WRITTEN: Mapping[str, Callable[[Mapping[str, Sequence[str]], str | None, Path], str]] = {
    "lines": _lines,
    "json": _json,
    "duckdb": _duckdb,
    "spark": _spark,
}
