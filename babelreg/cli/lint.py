"""``babelreg lint``: is the registry in order?"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import click

from babelreg.cli.common import (
    counted,
    emit,
    fail_on_option,
    format_option,
    open_registry,
    output_option,
    registry_option,
    relative_paths,
    shown_root,
    today_option,
)
from babelreg.finding import Finding, Place

__all__ = ["command"]


@click.command(short_help="Check the registry against the rules.")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@registry_option
@format_option
@output_option
@fail_on_option
@today_option
def command(
    paths: tuple[Path, ...],
    registry: Path | None,
    style: str,
    output: Path | None,
    fail_on: str,
    today: date | None,
) -> int:
    """Check the registry against every rule and print what is wrong.

    PATH is a file or folder of the registry; with it, only what concerns it is reported, though the whole registry is
    read. `babelreg rules` lists the rules, `babelreg explain RULE` says why one matters. Exit code 1 means findings.
    """
    from babelreg import lint
    from babelreg.report import summary

    opened = open_registry(registry, paths)
    within = relative_paths(opened, paths) if paths else None
    found = lint.run(opened, paths=within, today=today)
    folder = shown_root(opened)
    code = emit([_openable(f, folder) for f in found], style, output=output, fail_on=fail_on, prefix=folder)
    click.echo(summary(found, checked=counted(len(opened.messages))), err=True)
    return code


def _openable(finding: Finding, folder: str) -> Finding:
    """The finding with ``folder`` before its other place too, which in lint is a file of the same registry."""
    other = finding.against
    if other is None or not folder:
        return finding
    return replace(finding, against=Place(f"{folder}/{other.path}", other.line, other.column))
